/**
 * All that one run of the load kit saw, as plain JSON: verdicts and reports are made from it, and the records of several machines merge into
 * one. Times are milliseconds since the run began, unless their name says otherwise.
 */
export type RunRecord = {
  readonly version: 1;
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
};

export type DriverRecord = {
  /** The longest that something of ours was done after it was due, before it was even handed to a connection. */
  readonly lateMsMax: number;
  /** The most requests that had to wait for a connection at one time. */
  readonly waitingMost: number;
  readonly resent: number;
  /** Visitors who may have lost their turn because they were answered too late, by whoever's fault. */
  readonly visitorsLate: number;
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
  /** Where the gate put them in the order of the line: what it must admit them by. */
  readonly joinedOrder: readonly number[];
  readonly lane: readonly number[];
  readonly admittedMs: readonly number[];
  /** How the gate counted their admission, the first one 1: two clocks of ours cannot tell. */
  readonly admittedOrder: readonly number[];
  readonly endedMs: readonly number[];
  /** Index into `VISITOR_ENDS`. */
  readonly end: readonly number[];
  /** Whether they fell silent or left on purpose, or were answered so late that the gate may have thought so: others may pass them. */
  readonly wasAway: readonly (0 | 1)[];
  /**
   * Between which two moments of the store's clock (Unix time) their turn came, as far as looks at the line could tell: what `admittedOrder`
   * is ranked by (`rank-turns.ts`), and what the records of several machines are ranked by anew.
   */
  readonly turnAfterMs?: readonly number[];
  readonly turnByMs?: readonly number[];
};

/** Of a run without a crowd. */
export const NO_VISITORS: VisitorColumns = {
  arrivedMs: [],
  joinedOrder: [],
  lane: [],
  admittedMs: [],
  admittedOrder: [],
  endedMs: [],
  end: [],
  wasAway: [],
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
