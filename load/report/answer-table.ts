import { addBuckets, percentileMs } from "../record/latency-buckets.ts";
import type { RunRecord } from "../record/run-record.ts";
import { countText, millisecondsText } from "./numbers.ts";
import { kindName } from "./time-plots.ts";

/** Requests, answers and latencies of the whole run. */
export type AnswerRow = {
  readonly kind: string;
  readonly count: string;
  readonly answers: string;
  readonly p50: string;
  readonly p95: string;
  readonly p99: string;
};

export function answerRows({ requests }: RunRecord): readonly AnswerRow[] {
  return Object.entries(requests).map(([kind, { answers, seconds }]) => {
    const buckets = addBuckets(seconds.map((second) => second.buckets));
    const entries = Object.entries(answers).toSorted(([, one], [, other]) => other - one);
    return {
      kind: kindName(kind),
      count: countText(entries.reduce((sum, [, count]) => sum + count, 0)),
      answers: entries.map(([answer, count]) => `${answer} × ${countText(count)}`).join(", "),
      p50: millisecondsText(percentileMs(buckets, 0.5)),
      p95: millisecondsText(percentileMs(buckets, 0.95)),
      p99: millisecondsText(percentileMs(buckets, 0.99)),
    };
  });
}
