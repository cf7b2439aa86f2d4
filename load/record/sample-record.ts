import { type Gauge, type RunRecord, VISITOR_ENDS, type VisitorColumns } from "./run-record.ts";

/**
 * The record of a run that kept every promise, for tests: visitors arrive within two seconds, enter one by one at the
 * rate, stay and complete; some of them trade.
 */
export function sampleRecord(count = 600): RunRecord {
  const visitors = sampleVisitors(count);
  const durationMs = Math.max(...visitors.endedMs);
  return {
    version: 2,
    scenario: "crowd",
    target: "http://127.0.0.1:8787",
    settings: { visitors: count, cap: CAP, rate: RATE, burst: BURST, curve: "spike" },
    shard: "1/1",
    startedAt: 1_750_000_000_000,
    durationMs,
    wasInterrupted: false,
    requests: {
      page: { answers: { "200": count }, seconds: [{ second: 0, buckets: { 20: count } }] },
      request: { answers: { "200": count * 3 }, seconds: [{ second: 1, buckets: { 30: count * 2, 60: count } }] },
      complete: { answers: { "204": count }, seconds: [] },
      order: { answers: { "201": 90, balance_insufficient: 10 }, seconds: [{ second: 2, buckets: { 25: 100 } }] },
    },
    visitors,
    gauges: sampleGauges(visitors, durationMs),
    orders: {
      sent: 100,
      notSent: 0,
      acknowledged: 90,
      rejected: 10,
      unknown: 0,
      cancelled: 20,
      trades: 30,
      asked: 90,
      lost: 0,
    },
    faults: [],
    checks: [{ name: "audit: conservation", expected: "no fault", seen: "1000 idr (fees 0 idr)", isMet: true }],
  };
}

const CAP = 300;
const RATE = 20;
const BURST = 20;
const STAY_MS = 5_000;
const ARRIVALS_MS = 2_000;
const POLL_MS = 200;

function sampleVisitors(count: number): VisitorColumns {
  const indexes = Array.from({ length: count }, (_, index) => index);
  const arrivedMs = indexes.map((index) => Math.floor((index * ARRIVALS_MS) / count));
  const admittedMs = indexes.map(
    (index) => Math.max(arrivedMs[index] ?? 0, Math.ceil(((index + 1 - BURST) * 1_000) / RATE)) + POLL_MS,
  );
  return {
    arrivedMs,
    joinedOrder: indexes.map((index) => index + 1),
    lane: indexes.map(() => 0),
    admittedMs,
    endedMs: admittedMs.map((ms) => ms + STAY_MS),
    end: indexes.map(() => VISITOR_ENDS.indexOf("completed")),
    wasAway: indexes.map(() => 0 as const),
    lateMs: indexes.map(() => 0),
    wasRefused: indexes.map(() => 0 as const),
    walkedIn: indexes.map(() => 0 as const),
  };
}

function sampleGauges({ arrivedMs, admittedMs, endedMs }: VisitorColumns, durationMs: number): readonly Gauge[] {
  // Every column of the sample is sorted: a binary search counts the values up to a time.
  const before = (column: readonly number[], atMs: number) => {
    let from = 0;
    for (let to = column.length; from < to; ) {
      const middle = (from + to) >> 1;
      if ((column[middle] ?? 0) <= atMs) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  return Array.from({ length: Math.ceil(durationMs / 1_000) + 1 }, (_, second) => {
    const atMs = second * 1_000;
    const admitted = before(admittedMs, atMs);
    return {
      atMs,
      waiting: before(arrivedMs, atMs) - admitted,
      active: admitted - before(endedMs, atMs),
      cap: CAP,
      admitted,
    };
  });
}
