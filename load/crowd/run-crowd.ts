import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../../kit/random.ts";
import { createHttpPool, type HttpPool } from "../http/http-pool.ts";
import type { RunContext } from "../options/run-context.ts";
import { createRecorder, type Recorder } from "../record/recorder.ts";
import type { DriverRecord, RunRecord } from "../record/run-record.ts";
import type { Target } from "../target/target.ts";
import type { CrowdOptions } from "./crowd-options.ts";
import { createCrowdState, visitorColumns } from "./crowd-state.ts";
import { drawVisitors } from "./draw-visitors.ts";
import { followLine } from "./follow-line.ts";
import { createPlaceClock } from "./place-clock.ts";
import { createTimerWheel, SLICE_MS } from "./timer-wheel.ts";
import { type AdmittedVisitor, createVisitorLife, type LifeCounts } from "./visitor-life.ts";
import { createVisitorRequests } from "./visitor-requests.ts";

export type CrowdContext = RunContext & {
  readonly target: Target;
  /** Called with each admitted visitor, whose visit completes when the promise does. */
  readonly onAdmitted?: (visitor: AdmittedVisitor) => Promise<void>;
  /** Shared with a scenario that counts its own requests, faults and checks. */
  readonly recorder?: Recorder;
};

/** For all edges together: more than two cores can answer within a second. */
const SOCKETS_MAX = 256;
const SHOW_EVERY_MS = 200;

/**
 * Plays a crowd. Arrivals are independent of response times (open model), and every action has a due time. Latency is
 * measured from the due time, so that neither a slow gate nor a slow load generator hides it.
 */
export async function runCrowd(options: CrowdOptions, context: CrowdContext): Promise<RunRecord> {
  const { target, signal, progress, clock } = context;
  const recorder = context.recorder ?? createRecorder();
  const drawn = drawVisitors(options);
  const state = createCrowdState(drawn.count);
  const wheel = createTimerWheel(drawn.count);
  const places = createPlaceClock();
  const pools = openPools(target);
  let beganMs = performance.now();
  const nowMs = () => performance.now() - beganMs;
  const deadlineMs = options.withinSeconds * 1_000;
  let isOver = false;
  let lateMsMax = 0;
  let turnedMs = 0;

  const line = followLine({ watch: target.watch, recorder, nowMs });
  const { act, counts } = createVisitorLife({
    target,
    drawn,
    state,
    wheel,
    places,
    recorder,
    nowMs,
    // An idle load generator turns the wheel once per slice.
    unreadMs: () => Math.max(0, nowMs() - turnedMs - SLICE_MS),
    texts: createVisitorRequests(target),
    random: seededRandom(options.seed + 2),
    isOver: () => isOver,
    send: (url, text, onAnswer) =>
      pools.get(url)?.send({ text, onAnswer: (answer, sentAtMs) => onAnswer(answer, sentAtMs - beganMs) }),
    requests: options.requests,
    onAdmitted: context.onAdmitted,
  });
  await line.begin();
  const startedAt = clock.nowMs();
  beganMs = performance.now();
  for (let visitor = 0; visitor < drawn.count; visitor++) wheel.schedule(visitor, drawn.arrivesMs[visitor] ?? 0);

  const show = () =>
    progress.show(rowsOf(counts, { visitors: drawn.count, cap: line.cap(), answers: recorder.total() }));
  let shownMs = 0;
  while (!signal.aborted && counts.ended < drawn.count && nowMs() < deadlineMs) {
    turnedMs = nowMs();
    wheel.turn(turnedMs, (visitor, dueMs) => {
      lateMsMax = Math.max(lateMsMax, nowMs() - dueMs);
      act(visitor, dueMs);
    });
    if (turnedMs - shownMs >= SHOW_EVERY_MS) {
      shownMs = turnedMs;
      show();
    }
    await sleep(SLICE_MS);
  }
  isOver = true;
  await line.stop();
  const pressures = [...pools.values()].map((pool) => pool.pressure());
  for (const pool of pools.values()) pool.close();
  show();
  progress.end();
  const driver: DriverRecord = {
    lateMsMax: Math.round(lateMsMax),
    waitingMost: Math.max(...pressures.map(({ waitingMost }) => waitingMost)),
    resent: pressures.reduce((sum, { resent }) => sum + resent, 0),
  };
  const { shard, ...settings } = options;
  return {
    version: 2,
    scenario: "crowd",
    target: target.what,
    settings,
    shard: `${shard.index}/${shard.count}`,
    startedAt,
    durationMs: Math.round(nowMs()),
    wasInterrupted: signal.aborted,
    ...recorder.contents(),
    visitors: visitorColumns(state, { places, endMs: nowMs() }),
    orders: undefined,
    driver,
  };
}

function openPools({ urls }: Target): ReadonlyMap<string, HttpPool> {
  const socketsMax = Math.ceil(SOCKETS_MAX / urls.length);
  return new Map(urls.map((url) => [url, createHttpPool({ url, socketsMax })]));
}

type ShownFacts = { readonly visitors: number; readonly cap: number | undefined; readonly answers: number };

function rowsOf({ arrived, admitted, ended, endedInside }: LifeCounts, { visitors, cap, answers }: ShownFacts) {
  const inside = admitted - endedInside;
  return [
    { label: "arrived", value: arrived, of: visitors, isCount: true },
    { label: "waiting", value: arrived - admitted - (ended - endedInside) },
    { label: "inside", value: inside, ...(cap === undefined ? {} : { of: cap }) },
    { label: "admitted", value: admitted, isCount: true },
    { label: "done", value: ended, of: visitors },
    { label: "answers", value: answers, isCount: true },
  ];
}
