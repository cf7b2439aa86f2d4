import { useRef } from "preact/hooks";
import { systemClock } from "../../../../../shared/clock.ts";
import type { Sample } from "../../curves.ts";
import { type PaceReading, paceOf, withReading } from "../../pace.ts";
import { queueAt } from "../../queue-now.ts";
import { isProblem, type Queue } from "../api.ts";
import type { QueueStats } from "../api-shapes.ts";
import { AuditEntries } from "../audit-view.tsx";
import { Badge } from "../parts/badge.tsx";
import { useConsole } from "../parts/console-context.ts";
import { LiveNote } from "../parts/live-note.tsx";
import { useHeading } from "../parts/use-heading.ts";
import { usePoll } from "../use-poll.ts";
import { QUEUE_TABS, type QueueTab, queueLink } from "../use-route.ts";
import { EventTab } from "./event-tab.tsx";
import { InvitesTab } from "./invites-tab.tsx";
import { LiveTab } from "./live-tab.tsx";
import { ModeSwitch } from "./mode-switch.tsx";
import { SessionRules } from "./session-rules.tsx";
import { SessionsTab } from "./sessions-tab.tsx";

const EVERY_MS = 3_000;
/** An hour of looks. */
const SAMPLES_MAX = 1_800;

const TAB_NAMES: Readonly<Record<QueueTab, string>> = {
  live: "Live",
  event: "Event",
  sessions: "Sessions",
  invites: "Invites",
  changes: "Changes",
};

/** The props of every tab of a queue. */
export type QueueProps = {
  readonly queue: Queue;
  /** Of the settings as they were read. */
  readonly etag: string;
  /** Reads the queue now, after a change. */
  readonly refresh: () => void;
};

type Look = Pick<QueueProps, "queue" | "etag"> & { readonly stats: QueueStats | undefined };

export function QueueView({ queueId, tab }: { readonly queueId: string; readonly tab: QueueTab }) {
  const { api } = useConsole();
  const samples = useRef<readonly Sample[]>([]);
  const readings = useRef<readonly PaceReading[]>([]);
  const polled = usePoll(queueId, read, EVERY_MS);
  const heading = useHeading(polled.value?.queue.name ?? queueId);

  async function read(): Promise<Look> {
    const [{ body, etag }, stats] = await Promise.all([
      api.get<Queue>(`/queues/${queueId}`),
      tab === "live" ? api.get<QueueStats>(`/queues/${queueId}/stats?hours=24`) : undefined,
    ]);
    if (stats !== undefined) readings.current = withReading(readings.current, stats.body);
    // The store's own average is frozen while no visitor waits or enters, and then says nothing about the present.
    const pace = paceOf(readings.current) ?? body.admissionsPerSecond;
    const { waiting, active } = body;
    if (stats !== undefined) {
      const sample = { atMs: systemClock.nowMs(), waiting, active, admittedPerSecond: pace };
      samples.current = [...samples.current, sample].slice(-SAMPLES_MAX);
    }
    return { queue: { ...body, admissionsPerSecond: pace }, etag, stats: stats?.body };
  }

  if (isProblem(polled.error, "queue_not_found")) return <NoSuchQueue queueId={queueId} />;
  const props = polled.value && { ...polled.value, refresh: polled.refresh };
  const queue = props?.queue;
  return (
    <>
      <div class="page-head">
        <div>
          <p class="crumbs">
            <a href="#/">Queues</a> / <code>{queueId}</code>
          </p>
          <h1 ref={heading} tabIndex={-1}>
            {queue?.name ?? queueId} {queue && <StateBadge queue={queue} />}
          </h1>
        </div>
        <LiveNote polled={polled} what="the queue" />
      </div>
      {props && <ModeSwitch {...props} />}
      <nav class="tabs" aria-label="Queue">
        {QUEUE_TABS.map((each) => (
          <a
            key={each}
            href={queueLink(queueId, each)}
            aria-current={each === tab ? "page" : undefined}
            ref={each === tab ? bringIntoView : null}
          >
            {TAB_NAMES[each]}
          </a>
        ))}
      </nav>
      {props && <Tab tab={tab} samples={samples.current} {...props} />}
    </>
  );
}

function StateBadge({ queue }: { readonly queue: Queue }) {
  const { mode, phase, active, maxActive } = queueAt(queue, systemClock.nowMs());
  return <Badge mode={mode} phase={phase} isFull={active >= maxActive} />;
}

/** On a phone the last tabs lie outside the window. */
function bringIntoView(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

type TabProps = QueueProps & Look & { readonly tab: QueueTab; readonly samples: readonly Sample[] };

function Tab({ tab, samples, stats, ...props }: TabProps) {
  switch (tab) {
    case "event":
      return <EventTab {...props} />;
    case "sessions":
      return (
        <>
          <SessionRules {...props} />
          <SessionsTab queueId={props.queue.queueId} banSeconds={props.queue.banSeconds} />
        </>
      );
    case "invites":
      return <InvitesTab queueId={props.queue.queueId} />;
    case "changes":
      return <AuditEntries queueId={props.queue.queueId} />;
    default:
      return <LiveTab samples={samples} stats={stats} {...props} />;
  }
}

function NoSuchQueue({ queueId }: { readonly queueId: string }) {
  const heading = useHeading("No such queue");
  return (
    <div class="card empty">
      <h1 ref={heading} tabIndex={-1}>
        No such queue
      </h1>
      <p>
        There is no queue <code>{queueId}</code>. <a href="#/">All queues</a>
      </p>
    </div>
  );
}
