import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../../test/sim/random.ts";
import { SLICE_MS } from "../crowd/timer-wheel.ts";
import { createRecorder, type Recorder } from "../record/recorder.ts";
import { NO_VISITORS, type RunRecord } from "../record/run-record.ts";
import type { RunContext } from "../run-context.ts";
import type { Target } from "../target/target.ts";
import { concludeTrading } from "./conclude-trading.ts";
import { mixText } from "./mix.ts";
import { openDesk, type TradeDesk } from "./open-desk.ts";
import type { TradeOptions } from "./trade-options.ts";

export type TradeContext = RunContext & {
  readonly target: Target;
  readonly recorder?: Recorder;
  /** Of a venue that was not started by us, but runs on this machine. */
  readonly folder?: string;
  /** When everybody has money and a way in, and the first order is due. */
  readonly onBegin?: () => void;
};

/** More than this at one time is not load any more, it is a leak. */
const UNDERWAY_MAX = 100_000;
const SHOW_EVERY_MS = 200;

/**
 * A steady flow of orders from people who are inside: an open model, in which the next order is due when it is due, whatever became of those
 * before. Ends with a question for every acknowledged order, and an audit.
 */
export async function runTrade(options: TradeOptions, context: TradeContext): Promise<RunRecord> {
  const { target, signal, progress, clock } = context;
  const recorder = context.recorder ?? createRecorder();
  let beganMs = performance.now();
  const nowMs = () => performance.now() - beganMs;
  const desk = await openDesk(options, { ...context, recorder, nowMs, folder: context.folder });
  try {
    const startedAt = clock.nowMs();
    beganMs = performance.now();
    context.onBegin?.();
    await trade(desk, { options, context, nowMs });
    const durationMs = Math.round(nowMs());
    progress.end();
    const wasInterrupted = signal.aborted;
    const orders = await concludeTrading(desk, { recorder, nowMs, say: progress.say });
    const { mix, pairs, shard, ...plain } = options;
    return {
      version: 2,
      scenario: "trade",
      target: target.what,
      settings: { ...plain, mix: mixText(mix), pairs: pairs.join(",") },
      shard: `${shard.index}/${shard.count}`,
      startedAt,
      durationMs,
      wasInterrupted,
      ...recorder.contents(),
      visitors: NO_VISITORS,
      orders,
    };
  } finally {
    desk.close();
  }
}

type Trading = { readonly options: TradeOptions; readonly context: TradeContext; readonly nowMs: () => number };

async function trade({ people, floor }: TradeDesk, { options, context, nowMs }: Trading): Promise<void> {
  const { ordersPerSecond, seconds, seed, shard } = options;
  const { signal, progress } = context;
  const random = seededRandom(seed + shard.index + 1);
  const endMs = seconds * 1_000;
  const underway = new Set<Promise<void>>();
  let dueMs = 0;
  let shownMs = 0;
  const show = () => {
    const { sent, acknowledged, cancelled, trades } = floor.flow();
    progress.show([
      { label: "seconds", value: Math.round(Math.min(endMs, nowMs()) / 1_000), of: seconds },
      { label: "orders", value: sent, isCount: true },
      { label: "acknowledged", value: acknowledged, isCount: true },
      { label: "cancelled", value: cancelled, isCount: true },
      { label: "trades", value: trades, isCount: true },
      { label: "underway", value: underway.size },
    ]);
  };
  while (!signal.aborted && dueMs < endMs) {
    while (dueMs <= nowMs() && dueMs < endMs && underway.size < UNDERWAY_MAX) {
      const { orders, done } = floor.act(random.pick(people), dueMs);
      const noted = done.finally(() => underway.delete(noted));
      underway.add(noted);
      // Gaps as they are between people who do not know of each other.
      dueMs += (-Math.log(1 - random.next()) * 1_000 * orders * shard.count) / ordersPerSecond;
    }
    if (nowMs() - shownMs >= SHOW_EVERY_MS) {
      shownMs = nowMs();
      show();
    }
    await sleep(SLICE_MS);
  }
  await Promise.all(underway);
  show();
}
