import type { RunContext } from "../options/run-context.ts";
import { createRecorder, type Recorder } from "../record/recorder.ts";
import { NO_VISITORS, type RunRecord } from "../record/run-record.ts";
import type { Target } from "../target/target.ts";
import { concludeTrading } from "./conclude-trading.ts";
import { mixText } from "./mix.ts";
import { openDesk } from "./open-desk.ts";
import { keepTrading } from "./steady-flow.ts";
import type { TradeOptions } from "./trade-options.ts";

export type TradeContext = RunContext & {
  readonly target: Target;
  readonly recorder?: Recorder;
  /** The data folder of a venue that this run did not start, on this machine. */
  readonly folder?: string;
  /** Called when every trader has money and a way in, and the first order is due. */
  readonly onBegin?: () => void;
};

/**
 * A steady flow of orders from traders who are inside; then every acknowledged order is read back and the venue is
 * audited.
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
    await keepTrading(desk, { ...options, signal, progress, nowMs });
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
