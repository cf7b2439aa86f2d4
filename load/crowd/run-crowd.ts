import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../../test/sim/random.ts";
import { createHttpPool, type HttpPool } from "../http/http-pool.ts";
import { createRecorder, type Recorder } from "../record/recorder.ts";
import type { DriverRecord, RunRecord } from "../record/run-record.ts";
import type { RunContext } from "../run-context.ts";
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
  /** Whoever is let in is handed over, and completes when this is done. */
  readonly onAdmitted?: (visitor: AdmittedVisitor) => Promise<void>;
  /** Where a scenario around the crowd counts its own requests, faults and checks too. */
  readonly recorder?: Recorder;
};

/** For all edges together: enough for what two cores can answer within the gate's own second. */
const SOCKETS_MAX = 256;
const SHOW_EVERY_MS = 200;

/**
 * Plays a crowd: an open model, in which visitors come when they come, and everything they do has a moment at which it is due. Latency
 * counts from that moment, so that neither a slow gate nor a slow driver hides how long somebody waited.
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
    // While nothing else is done, the wheel turns once in each slice.
    unreadMs: () => Math.max(0, nowMs() - turnedMs - SLICE_MS),
    texts: createVisitorRequests(target),
    random: seededRandom(options.seed + 2),
    isOver: () => isOver,
    send: (url, text, onAnswer) => pools.get(url)?.send({ text, onAnswer: (answer, sentAtMs) => onAnswer(answer, sentAtMs - beganMs) }),
    requests: options.requests,
    onAdmitted: context.onAdmitted,
  });
  await line.begin();
  const startedAt = clock.nowMs();
  beganMs = performance.now();
  for (let visitor = 0; visitor < drawn.count; visitor++) wheel.schedule(visitor, drawn.arrivesMs[visitor] ?? 0);

  const show = () => progress.show(rowsOf(counts, { visitors: drawn.count, cap: line.cap(), answers: recorder.total() }));
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
    { label: "let in", value: admitted, isCount: true },
    { label: "done", value: ended, of: visitors },
    { label: "answers", value: answers, isCount: true },
  ];
}
