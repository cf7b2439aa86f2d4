import { describe, expect, it } from "vitest";
import { EVERY_VISIT_ENDED, judge, ORDER_OF_ENTRY } from "../verdict/judge.ts";
import { mergeRecords } from "./merge-records.ts";
import type { RunRecord, VisitorColumns } from "./run-record.ts";
import { sampleRecord } from "./sample-record.ts";

/** The sample as seen by two machines, of which the second began `laterMs` later. */
function halves(laterMs: number): readonly [RunRecord, RunRecord] {
  const whole = sampleRecord();
  const part = (index: number, shiftMs: number): RunRecord => {
    const mine = <Value>(column: readonly Value[]) => column.filter((_, visitor) => visitor % 2 === index);
    const times = (column: readonly number[]) => mine(column).map((ms) => ms - shiftMs);
    const { visitors } = whole;
    const own: VisitorColumns = {
      arrivedMs: times(visitors.arrivedMs),
      joinedOrder: mine(visitors.joinedOrder),
      lane: mine(visitors.lane),
      admittedMs: times(visitors.admittedMs),
      endedMs: times(visitors.endedMs),
      end: mine(visitors.end),
      wasAway: mine(visitors.wasAway),
      lateMs: mine(visitors.lateMs),
      wasRefused: mine(visitors.wasRefused),
      walkedIn: mine(visitors.walkedIn),
    };
    return {
      ...whole,
      visitors: own,
      shard: `${index + 1}/2`,
      startedAt: whole.startedAt + shiftMs,
      durationMs: whole.durationMs - shiftMs,
      gauges: whole.gauges.map((gauge) => ({ ...gauge, atMs: gauge.atMs - shiftMs })).filter(({ atMs }) => atMs >= 0),
    };
  };
  return [part(0, 0), part(1, laterMs)];
}

describe("merged records", () => {
  it("are judged like the run of one machine", () => {
    const [one, other] = halves(0);
    const merged = mergeRecords([one, other]);
    expect(judge(merged)).toMatchObject({ isMet: true });
    expect(judge(merged).lines.map(({ name }) => name)).toEqual(judge(sampleRecord()).lines.map(({ name }) => name));
    expect(merged.shard).toBe("1/1");
  });

  it("count times from the start of the first machine", () => {
    const whole = sampleRecord();
    // No visitor of the second machine arrived before it began.
    const merged = mergeRecords(halves(3));
    expect(merged.startedAt).toBe(whole.startedAt);
    expect(merged.durationMs).toBe(whole.durationMs);
    expect(merged.visitors.admittedMs.toSorted((one, other) => one - other)).toEqual(whole.visitors.admittedMs);
    expect(merged.gauges.map(({ atMs }) => atMs)).toEqual(whole.gauges.map(({ atMs }) => atMs));
  });

  it("show a fault in the order of entry that no single machine could see", () => {
    const [one, other] = halves(0);
    // All visitors of the second machine enter 5 s earlier: among themselves they are in order.
    const early = other.visitors.admittedMs.map((ms) => Math.max(0, ms - 5_000));
    const hurried = { ...other, visitors: { ...other.visitors, admittedMs: early } };
    const order = ({ lines }: ReturnType<typeof judge>) => lines.find(({ name }) => name === ORDER_OF_ENTRY)?.isMet;
    expect([order(judge(one)), order(judge(hurried)), order(judge(mergeRecords([one, other])))]).toEqual([
      true,
      true,
      true,
    ]);
    expect(order(judge(mergeRecords([one, hurried])))).toBe(false);
  });

  it("add up requests, latencies and orders", () => {
    const [one, other] = halves(2_000);
    const { requests, orders } = mergeRecords([one, other]);
    expect(requests["order"]?.answers).toEqual({ "201": 180, balance_insufficient: 20 });
    expect(requests["order"]?.seconds).toEqual([
      { second: 2, buckets: { 25: 100 } },
      { second: 4, buckets: { 25: 100 } },
    ]);
    expect(mergeRecords(halves(0)).requests["order"]?.seconds).toEqual([{ second: 2, buckets: { 25: 200 } }]);
    expect(orders).toMatchObject({ sent: 200, acknowledged: 180, asked: 180, lost: 0 });
  });

  it("keep a check that failed on one machine", () => {
    const [one, other] = halves(0);
    const broken = { name: "audit: conservation", expected: "no fault", seen: "1 fault", isMet: false };
    expect(mergeRecords([one, { ...other, checks: [broken] }]).checks).toEqual([broken]);
  });

  it("count the ends of all visits", () => {
    const [one, other] = halves(0);
    const { lines } = judge(mergeRecords([one, other]));
    expect(lines.find(({ name }) => name === EVERY_VISIT_ENDED)?.seen).toBe("600 of 600");
  });

  it("are incomplete while a part is missing", () => {
    const [one, other] = halves(0);
    const thirds: readonly [RunRecord, RunRecord] = [
      { ...one, shard: "1/3" },
      { ...other, shard: "3/3" },
    ];
    const merged = mergeRecords(thirds);
    expect(merged.shard).toBe("1+3/3");
    expect(mergeRecords([merged, { ...other, shard: "2/3" }]).shard).toBe("1/1");
  });
});
