import { assert } from "../../shared/assert.ts";
import { createRecorder, NOT_SENT, type Recorder } from "../record/recorder.ts";
import type { RunRecord } from "../record/run-record.ts";
import { runTrade, type TradeContext } from "../trade/run-trade.ts";
import type { TradeOptions } from "../trade/trade-options.ts";
import { watchResources } from "./watch-resources.ts";

type SoakContext = TradeContext & { readonly everyMs: number };

/** Of the actions that were due: a machine that is slower than the flow proves nothing. */
const SENT_SHARE_MIN = 0.98;

/** Trading, with the stack's memory, files and stalls sampled every few seconds. */
export async function runSoak(options: TradeOptions, { everyMs, ...context }: SoakContext): Promise<RunRecord> {
  const { own } = context.target;
  assert(own !== undefined, "a soak samples a stack of its own");
  const recorder = createRecorder();
  let began: number | undefined;
  const nowMs = () => performance.now() - (began ?? performance.now());
  const watch = await watchResources({ own, everyMs, nowMs });
  const onBegin = () => {
    began = performance.now();
  };
  try {
    const record = await runTrade(options, { ...context, recorder, onBegin });
    await watch.stop();
    noteChecks(recorder, { record, options, faults: watch.faults() });
    // Reading orders back at the end is not part of the flow.
    const resources = watch.series().map((series) => ({
      ...series,
      points: series.points.filter(([atMs]) => atMs > 0 && atMs <= record.durationMs),
    }));
    return { ...record, scenario: "soak", checks: recorder.contents().checks, resources };
  } finally {
    await watch.stop();
  }
}

type Soaked = { readonly record: RunRecord; readonly options: TradeOptions; readonly faults: readonly string[] };

function noteChecks(recorder: Recorder, { record, options, faults }: Soaked): void {
  const due = (options.actionsPerSecond * record.durationMs) / 1_000;
  const answered =
    answersTo(record, "order") + answersTo(record, "cancel") + answersTo(record, "batch") * options.batch;
  recorder.check({
    name: "flow sustained",
    expected: `${SENT_SHARE_MIN * 100} % of ${Math.round(due)} orders and cancellations`,
    seen: `${answered} answered, ${((answered * 100) / due).toFixed(1)} %`,
    isMet: answered >= due * SENT_SHARE_MIN,
  });
  const unknown = record.orders?.unknown ?? 0;
  recorder.check({ name: "outcomes unknown", expected: "0", seen: String(unknown), isMet: unknown === 0 });
  const seen = faults.length === 0 ? "none failed" : faults.join("; ");
  recorder.check({ name: "resource samples", expected: "none failed", seen, isMet: faults.length === 0 });
}

function answersTo({ requests }: RunRecord, kind: string): number {
  const answers = Object.entries(requests[kind]?.answers ?? {});
  return answers.reduce((sum, [answer, count]) => (answer === NOT_SENT ? sum : sum + count), 0);
}
