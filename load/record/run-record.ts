/**
 * All that one run of the load kit saw, as plain JSON: verdicts and reports are made from it, and the records of several machines merge into
 * one. Times are milliseconds since the run began, unless their name says otherwise.
 */
export type RunRecord = {
  readonly version: 2;
  readonly scenario: string;
  readonly target: string;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  /** What the load ran on, for people: processor, cores, memory, system, Node. */
  readonly machine?: string;
  /** `1/1` for a run on one machine. */
  readonly shard: string;
  /** Unix time. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Ctrl-C: everything up to then is here. */
  readonly wasInterrupted: boolean;
  /** One entry for each kind of request: `page`, `poll`, `claim`, `request`, `complete`, `leave`, `order`, `cancel`. */
  readonly requests: Readonly<Record<string, RequestRecord>>;
  readonly visitors: VisitorColumns;
  /** What the gate says of itself, about once a second. */
  readonly gauges: readonly Gauge[];
  readonly orders: OrderFlow | undefined;
  /** What was done to the target on purpose. */
  readonly faults: readonly Fault[];
  /** What was asked of the target when the load was over, the audit among them. */
  readonly checks: readonly Check[];
  /** How the load itself did: what it could not do in time, it did not hide, but somebody has to look here to know. */
  readonly driver?: DriverRecord;
  /** What the parts of the stack took of the machine, over time; of a soak. */
  readonly resources?: readonly ResourceSeries[];
};

/**
 * One quantity over time. `level` must not grow once it has warmed up, `record` grows with what happened and must not grow faster and faster,
 * `peak` must stay below its limit.
 */
export type ResourceSeries = {
  readonly name: string;
  readonly unit: "bytes" | "seconds" | "keys";
  readonly kind: "level" | "record" | "peak";
  readonly points: readonly (readonly [atMs: number, value: number])[];
};

export type DriverRecord = {
  /** The longest that something of ours was done after it was due, before it was even handed to a connection. */
  readonly lateMsMax: number;
  /** The most requests that had to wait for a connection at one time. */
  readonly waitingMost: number;
  readonly resent: number;
};

export type RequestRecord = {
  /** By status, or by the code of a problem, or `no answer`. */
  readonly answers: Readonly<Record<string, number>>;
  /** One histogram for each second in which such a request was due; measured from when it was due, not from when it was sent. */
  readonly seconds: readonly SecondOfLatencies[];
};

/** Counts by bucket; see `latency-buckets.ts` for where a bucket begins. */
export type SecondOfLatencies = { readonly second: number; readonly buckets: Readonly<Record<number, number>> };

/** One place in each column for every visitor who came; -1 where it did not happen. */
export type VisitorColumns = {
  readonly arrivedMs: readonly number[];
  /**
   * The place that their ticket carries: the smaller enters first. For a visitor who entered on arrival and never had a ticket it is the earliest
   * place that the gate can have given out at that time.
   */
  readonly joinedOrder: readonly number[];
  readonly lane: readonly number[];
  /** When they entered: the answer with the pass arrived. */
  readonly admittedMs: readonly number[];
  readonly endedMs: readonly number[];
  /** Index into `VISITOR_ENDS`. */
  readonly end: readonly number[];
  /** Whether they stopped polling or left on purpose: others may pass them. */
  readonly wasAway: readonly (0 | 1)[];
  /** By how much the load generator itself was late with their poll, shortly before they entered. */
  readonly lateMs: readonly number[];
  /** Whether a poll of theirs was refused or not answered, shortly before they entered. */
  readonly wasRefused: readonly (0 | 1)[];
  /** Whether they entered on arrival. */
  readonly walkedIn: readonly (0 | 1)[];
};

/** Of a run without a crowd. */
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
  readonly acknowledged: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly cancelled: number;
  readonly trades: number;
  /** How many of the acknowledged orders the venue was asked for at the end: all of them, or a sample where they are very many. */
  readonly asked: number;
  /** Of those, how many it no longer knows, or knows otherwise than it had answered. */
  readonly lost: number;
};

export type Fault = { readonly atMs: number; readonly what: string; readonly untilMs: number };

/** `expected` and `seen` are for people. */
export type Check = { readonly name: string; readonly expected: string; readonly seen: string; readonly isMet: boolean };
