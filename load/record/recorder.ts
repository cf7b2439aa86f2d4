import { bucketOf } from "./latency-buckets.ts";
import type { Check, Fault, Gauge, RequestRecord, SecondOfLatencies } from "./run-record.ts";

/** Counts the requests of a run, in memory that does not grow with their number. */
export type Recorder = {
  readonly answered: (request: AnsweredRequest) => void;
  readonly gauge: (gauge: Gauge) => void;
  readonly fault: (fault: Fault) => void;
  readonly check: (check: Check) => void;
  /** Answers of all kinds. */
  readonly total: () => number;
  readonly contents: () => RecordedContents;
};

export type AnsweredRequest = {
  readonly kind: string;
  /** Since the run began, like `answeredMs`. */
  readonly dueMs: number;
  readonly answeredMs: number;
  /** The status, the code of a problem, `no answer` or `not sent`. */
  readonly answer: string;
};

export type RecordedContents = {
  readonly requests: Readonly<Record<string, RequestRecord>>;
  readonly gauges: readonly Gauge[];
  readonly faults: readonly Fault[];
  readonly checks: readonly Check[];
};

export const NO_ANSWER = "no answer";
/** The request waited in the load generator for so long that sending it would have proven nothing. */
export const NOT_SENT = "not sent";

type Counted = { readonly answers: Map<string, number>; readonly seconds: Map<number, Map<number, number>> };

export function createRecorder(): Recorder {
  const kinds = new Map<string, Counted>();
  const gauges: Gauge[] = [];
  const faults: Fault[] = [];
  const checks: Check[] = [];
  let total = 0;

  return {
    answered({ kind, dueMs, answeredMs, answer }) {
      total++;
      const counted = valueAt(kinds, kind, newCounted);
      addOne(counted.answers, answer);
      addOne(valueAt(counted.seconds, Math.floor(dueMs / 1_000), newBuckets), bucketOf(answeredMs - dueMs));
    },
    gauge: (gauge) => void gauges.push(gauge),
    fault: (fault) => void faults.push(fault),
    check: (check) => void checks.push(check),
    total: () => total,
    contents: () => ({
      requests: Object.fromEntries([...kinds].map(([kind, counted]) => [kind, toRequestRecord(counted)])),
      gauges,
      faults,
      checks,
    }),
  };
}

function newCounted(): Counted {
  return { answers: new Map(), seconds: new Map() };
}

function newBuckets(): Map<number, number> {
  return new Map();
}

function valueAt<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = create();
  map.set(key, value);
  return value;
}

function addOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function toRequestRecord({ answers, seconds }: Counted): RequestRecord {
  const inOrder = [...seconds].toSorted(([one], [other]) => one - other);
  return {
    answers: Object.fromEntries(answers),
    seconds: inOrder.map(([second, buckets]): SecondOfLatencies => ({ second, buckets: Object.fromEntries(buckets) })),
  };
}
