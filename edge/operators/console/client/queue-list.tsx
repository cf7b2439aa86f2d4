import { useRef, useState } from "preact/hooks";
import { systemClock } from "../../../../shared/clock.ts";
import { clearsInSeconds, count, duration, perSecond } from "../forecast.ts";
import { queueAt } from "../queue-now.ts";
import type { Queue } from "./api.ts";
import { Badge } from "./parts/badge.tsx";
import { useConsole } from "./parts/console-context.ts";
import { Field } from "./parts/field.tsx";
import { LiveNote } from "./parts/live-note.tsx";
import { Meter } from "./parts/meter.tsx";
import { useHeading } from "./parts/use-heading.ts";
import { usePoll } from "./use-poll.ts";
import { queueLink } from "./use-route.ts";

const EVERY_MS = 4_000;
/** Five minutes of looks. */
const SAMPLES_MAX = 75;
const FILTER_FROM_QUEUES = 9;

/** All queues at a glance, the fullest line first. */
export function QueueList() {
  const { api } = useConsole();
  const heading = useHeading("Queues");
  const [wanted, setWanted] = useState("");
  const history = useRef(new Map<string, number[]>());
  const polled = usePoll(
    "queues",
    async () => {
      const { queues } = (await api.get<{ readonly queues: readonly Queue[] }>("/queues")).body;
      for (const { queueId, waiting } of queues)
        history.current.set(queueId, [...(history.current.get(queueId) ?? []), waiting].slice(-SAMPLES_MAX));
      return queues;
    },
    EVERY_MS,
  );
  const queues = polled.value ?? [];
  const found = queues
    .filter(({ queueId, name }) => `${queueId} ${name}`.toLowerCase().includes(wanted.trim().toLowerCase()))
    .toSorted((left, right) => right.waiting - left.waiting || left.queueId.localeCompare(right.queueId));
  return (
    <>
      <div class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          Queues
        </h1>
        <LiveNote polled={polled} what="the queues" />
      </div>
      {queues.length > 0 && (
        <p class="lead">
          {count(sum(queues.map(({ waiting }) => waiting)))} waiting and{" "}
          {count(sum(queues.map(({ active }) => active)))} inside, in{" "}
          {queues.length === 1 ? "one queue" : `${count(queues.length)} queues`}.
        </p>
      )}
      {queues.length >= FILTER_FROM_QUEUES && (
        <Field label="Find a queue" type="search" value={wanted} onChange={setWanted} />
      )}
      {polled.value?.length === 0 && (
        <p class="card empty">
          There is no queue yet. Create one with <code>npm run sluice -- queues apply FILE</code>, or through the API.
        </p>
      )}
      <ul class="queue-cards">
        {found.map((queue) => (
          <li key={queue.queueId}>
            <QueueCard queue={queue} history={history.current.get(queue.queueId) ?? []} />
          </li>
        ))}
      </ul>
    </>
  );
}

function QueueCard({ queue, history }: { readonly queue: Queue; readonly history: readonly number[] }) {
  const { queueId, name, mode, phase, waiting, active, maxActive, admissionRate, admissionsPerSecond } = queueAt(
    queue,
    systemClock.nowMs(),
  );
  return (
    <a class="card queue-card" href={queueLink(queueId)}>
      <div class="queue-card-head">
        <div>
          <h2>{name}</h2>
          <code>{queueId}</code>
        </div>
        <Badge mode={mode} phase={phase} isFull={active >= maxActive} />
      </div>
      <div class="queue-card-line">
        <div>
          <span class="big-number">{count(waiting)}</span> <span class="quiet">waiting</span>
          <p class="hint">{clearText(queue)}</p>
        </div>
        <Sparkline values={history} />
      </div>
      <Meter value={active} max={maxActive} warnsWhenFull={true} />
      <div class="queue-card-foot">
        <span>
          <b>{count(active)}</b> of {count(maxActive)} inside
        </span>
        <span>
          {waiting > 0 && <b>{perSecond(round(admissionsPerSecond))}</b>} {waiting > 0 ? "of" : "up to"}{" "}
          {perSecond(admissionRate)}
        </span>
      </div>
    </a>
  );
}

function clearText(queue: Queue): string {
  const now = queueAt(queue, systemClock.nowMs());
  if (now.opensInSeconds > 0 && now.mode === "active") return `opens in ${duration(now.opensInSeconds)}`;
  if (queue.waiting === 0) return "no line";
  const seconds = clearsInSeconds(now);
  return seconds === undefined ? "does not move" : `clears in ${duration(seconds)}`;
}

function round(value: number): number {
  return value >= 10 ? Math.round(value) : Math.round(value * 10) / 10;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The last minutes at a glance. The number beside it says where it stands. */
function Sparkline({ values }: { readonly values: readonly number[] }) {
  if (values.length < 2) return <svg class="spark" aria-hidden="true" />;
  const [width, height] = [100, 28];
  const top = Math.max(1, ...values);
  const points = values.map(
    (value, index) => `${(index / (values.length - 1)) * width},${height - 1 - (value / top) * (height - 3)}`,
  );
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,${height} ${points.join(" ")} ${width},${height}`} />
      <polyline points={points.join(" ")} />
    </svg>
  );
}
