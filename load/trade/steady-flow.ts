import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../../kit/random.ts";
import { SLICE_MS } from "../crowd/timer-wheel.ts";
import type { Progress } from "../progress/progress.ts";
import type { TradeDesk } from "./open-desk.ts";
import type { TradeOptions } from "./trade-options.ts";

type FlowOptions = Pick<TradeOptions, "actionsPerSecond" | "seconds" | "seed" | "shard"> & {
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly nowMs: () => number;
};

/**
 * Above this the load generator leaks: a request waits for its connection and for its answer at most ten seconds each.
 */
const UNDERWAY_MAX = 100_000;
const SHOW_EVERY_MS = 200;

/** Arrivals are independent of response times (open model). Ends when the last action has an outcome. */
export async function keepTrading(
  { people, floor }: Pick<TradeDesk, "people" | "floor">,
  options: FlowOptions,
): Promise<void> {
  const { actionsPerSecond, seconds, seed, shard, signal, progress, nowMs } = options;
  const random = seededRandom(seed + shard.index + 1);
  const endMs = seconds * 1_000;
  const underway = new Set<Promise<void>>();
  let dueMs = 0;
  let shownMs = 0;
  const show = () => {
    const { sent, notSent, acknowledged, cancelled, trades } = floor.flow();
    progress.show([
      { label: "seconds", value: Math.round(Math.min(endMs, nowMs()) / 1_000), of: seconds },
      { label: "orders", value: sent, isCount: true },
      { label: "acknowledged", value: acknowledged, isCount: true },
      { label: "cancelled", value: cancelled, isCount: true },
      { label: "trades", value: trades, isCount: true },
      { label: "underway", value: underway.size },
      ...(notSent > 0 ? [{ label: "not sent", value: notSent }] : []),
    ]);
  };
  while (!signal.aborted && dueMs < endMs) {
    while (dueMs <= nowMs() && dueMs < endMs && underway.size < UNDERWAY_MAX) {
      const { orders, done } = floor.act(random.pick(people), dueMs);
      const noted = done.finally(() => underway.delete(noted));
      underway.add(noted);
      // Exponential gaps: independent traders make a Poisson process.
      dueMs += (-Math.log(1 - random.next()) * 1_000 * orders * shard.count) / actionsPerSecond;
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
