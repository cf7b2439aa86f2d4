/**
 * The record of one run as plain JSON: the source of verdict and report. Records of several machines can be merged.
 * Times are milliseconds since the run began, unless the name says otherwise.
 */
export type RunRecord = {
  readonly version: 2;
  readonly scenario: string;
  readonly target: string;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  /** Processor, cores, memory, system and Node of the load generator. */
  readonly machine?: string;
  /** `1/1` for a run on one machine. */
  readonly shard: string;
  /** Unix time. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Ctrl-C: the record ends there. */
  readonly wasInterrupted: boolean;
  /** One entry for each kind of request: `page`, `poll`, `claim`, `request`, `complete`, `leave`, `order`, `cancel`. */
  readonly requests: Readonly<Record<string, RequestRecord>>;
  readonly visitors: VisitorColumns;
  /** Samples of the line, about one per second. */
  readonly gauges: readonly Gauge[];
  readonly orders: OrderFlow | undefined;
  /** Injected faults. */
  readonly faults: readonly Fault[];
  /** Checks after the load, such as the audit. */
  readonly checks: readonly Check[];
  /** How late the load generator itself was. */
  readonly driver?: DriverRecord;
  /** Memory, files and stalls over time; of a soak. */
  readonly resources?: readonly ResourceSeries[];
};

/**
 * One quantity over time. `level` must not grow after the warm-up, `record` grows with the data and must not
 * accelerate, `peak` must stay below its limit.
 */
export type ResourceSeries = {
  readonly name: string;
  readonly unit: "bytes" | "seconds" | "keys";
  readonly kind: "level" | "record" | "peak";
  /** When a level has reached its documented bound, from the beginning of the run; until then it may grow. */
  readonly settlesAfterMs?: number | undefined;
  readonly points: readonly (readonly [atMs: number, value: number])[];
};

export type DriverRecord = {
  /** The longest delay between the due time of an action and its start. */
  readonly lateMsMax: number;
  /** The most requests that waited for a connection at once. */
  readonly waitingMost: number;
  readonly resent: number;
};

export type RequestRecord = {
  /** By status, by the code of a problem, `no answer` or `not sent`. */
  readonly answers: Readonly<Record<string, number>>;
  /** One histogram per second of due times; latency is measured from the due time. */
  readonly seconds: readonly SecondOfLatencies[];
};

/** Counts by bucket of `latency-buckets.ts`. */
export type SecondOfLatencies = { readonly second: number; readonly buckets: Readonly<Record<number, number>> };

/** One row per arrived visitor; -1 where an event did not happen. */
export type VisitorColumns = {
  readonly arrivedMs: readonly number[];
  /**
   * The place in the ticket: the smaller enters first. For a visitor who entered on arrival without a ticket, the
   * earliest place that the gate can have assigned at that time.
   */
  readonly joinedOrder: readonly number[];
  readonly lane: readonly number[];
  /** When the answer with the pass arrived. */
  readonly admittedMs: readonly number[];
  readonly endedMs: readonly number[];
  /** Index into `VISITOR_ENDS`. */
  readonly end: readonly number[];
  /** Whether the visitor stopped polling or left on purpose: others may pass. */
  readonly wasAway: readonly (0 | 1)[];
  /** How late the load generator itself polled, shortly before the entry. */
  readonly lateMs: readonly number[];
  /** Whether a poll was refused or not answered shortly before the entry. */
  readonly wasRefused: readonly (0 | 1)[];
  /** Whether the visitor entered on arrival. */
  readonly walkedIn: readonly (0 | 1)[];
};

/** For a run without a crowd. */
export const NO_VISITORS: VisitorColumns = {
  arrivedMs: [],
  joinedOrder: [],
  lane: [],
  admittedMs: [],
  endedMs: [],
  end: [],
  wasAway: [],
  lateMs: [],
  wasRefused: [],
  walkedIn: [],
};

export const VISITOR_ENDS = ["underway", "completed", "left", "silent", "refused", "failed"] as const;

export type Gauge = {
  readonly atMs: number;
  readonly waiting: number;
  readonly active: number;
  readonly cap: number;
  readonly admitted: number;
};

export type OrderFlow = {
  readonly sent: number;
  /** Orders that waited in the load generator for too long: the venue never saw them, and `sent` leaves them out. */
  readonly notSent: number;
  readonly acknowledged: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly cancelled: number;
  readonly trades: number;
  /** Acknowledged orders that were read back at the end: all, or a sample of very many. */
  readonly asked: number;
  /** Of those, how many are missing or differ from the acknowledgement. */
  readonly lost: number;
};

export type Fault = { readonly atMs: number; readonly what: string; readonly untilMs: number };

/** `expected` and `seen` are for people. */
export type Check = {
  readonly name: string;
  readonly expected: string;
  readonly seen: string;
  readonly isMet: boolean;
};
