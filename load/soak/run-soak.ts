import { assert } from "../../shared/assert.ts";
import { createRecorder, type Recorder } from "../record/recorder.ts";
import type { RunRecord } from "../record/run-record.ts";
import { runTrade, type TradeContext } from "../trade/run-trade.ts";
import type { TradeOptions } from "../trade/trade-options.ts";
import { watchResources } from "./watch-resources.ts";

type SoakContext = TradeContext & { readonly everyMs: number };

/** Of what was to be sent: on a machine that is slower than the flow nothing is proven. */
const SENT_SHARE_MIN = 0.98;

/** Trading, and beside it a look at the machine every few seconds. */
export async function runSoak(options: TradeOptions, { everyMs, ...context }: SoakContext): Promise<RunRecord> {
  const { own } = context.target;
  assert(own !== undefined, "a soak looks at a stack of its own");
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
    // What was asked for at the end is not part of the flow.
    const resources = watch
      .series()
      .map((series) => ({ ...series, points: series.points.filter(([atMs]) => atMs > 0 && atMs <= record.durationMs) }));
    return { ...record, scenario: "soak", checks: recorder.contents().checks, resources };
  } finally {
    await watch.stop();
  }
}

type Soaked = { readonly record: RunRecord; readonly options: TradeOptions; readonly faults: readonly string[] };

function noteChecks(recorder: Recorder, { record, options, faults }: Soaked): void {
  const due = (options.ordersPerSecond * record.durationMs) / 1_000;
  const answered = answersTo(record, "order") + answersTo(record, "cancel") + answersTo(record, "batch") * options.batch;
  recorder.check({
    name: "the flow was kept up",
    expected: `${SENT_SHARE_MIN * 100} % of ${Math.round(due)} orders and cancellations`,
    seen: `${answered} answered, ${((answered * 100) / due).toFixed(1)} %`,
    isMet: answered >= due * SENT_SHARE_MIN,
  });
  const unknown = record.orders?.unknown ?? 0;
  recorder.check({ name: "outcomes unknown", expected: "0", seen: String(unknown), isMet: unknown === 0 });
  const seen = faults.length === 0 ? "every time" : faults.join("; ");
  recorder.check({ name: "the machine was looked at", expected: "every time", seen, isMet: faults.length === 0 });
}

function answersTo({ requests }: RunRecord, kind: string): number {
  return Object.values(requests[kind]?.answers ?? {}).reduce((sum, count) => sum + count, 0);
}
