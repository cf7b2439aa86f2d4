import { describe, expect, it } from "vitest";
import { NO_VISITORS, type RunRecord, type VisitorColumns } from "../record/run-record.ts";
import { sampleRecord } from "../record/sample-record.ts";
import { judge } from "./judge.ts";

const UNDERWAY = 0;
const COMPLETED = 1;
const SILENT = 3;
const FAILED = 5;

/** The good record, with one thing wrong. */
function judged(change: (record: RunRecord) => Partial<RunRecord>) {
  const record = sampleRecord();
  const { isMet, lines } = judge({ ...record, ...change(record) });
  return { isMet, broken: lines.filter((line) => !line.isMet).map(({ name }) => name), lines };
}

const line = ({ lines }: Pick<ReturnType<typeof judged>, "lines">, name: string) =>
  lines.find((each) => each.name === name);

function withColumns(
  record: RunRecord,
  columns: Partial<{ -readonly [Name in keyof VisitorColumns]: VisitorColumns[Name] }>,
): Partial<RunRecord> {
  return { visitors: { ...record.visitors, ...columns } };
}

describe("a verdict", () => {
  it("passes for a run that kept every promise, and reports the seen values", () => {
    const { isMet, lines } = judge(sampleRecord());
    expect(isMet).toBe(true);
    expect(lines.map(({ name }) => name)).toEqual([
      "over-admission",
      "order of entry",
      "errors for admitted visitors",
      "longest stall",
      "drain against ideal",
      "every visit came to an end",
      "acknowledged orders lost",
      "audit: conservation",
    ]);
    expect(line({ lines }, "order of entry")?.seen).toBe("0 of 600 overtaken by more than 250 ms, worst 0 ms");
  });

  it("fails for a run that tested nothing", () => {
    const { isMet, lines } = judged(() => ({
      visitors: NO_VISITORS,
      gauges: [],
      requests: {},
      orders: undefined,
      checks: [],
    }));
    expect([isMet, lines]).toEqual([false, []]);
  });

  it("finds a visit that did not end, unless the run was stopped", () => {
    const underway = (record: RunRecord) => withColumns(record, { end: record.visitors.end.with(599, UNDERWAY) });
    expect(judged(underway).broken).toContain("every visit came to an end");
    expect(line(judged(underway), "every visit came to an end")?.seen).toBe("599 of 600");
    const stopped = judged((record) => ({ ...underway(record), wasInterrupted: true }));
    expect(line(stopped, "every visit came to an end")).toMatchObject({
      isMet: true,
      seen: "599 of 600, then the run was stopped",
    });
  });

  it("finds one visitor beyond the cap of that moment", () => {
    const beyond = ({ gauges }: RunRecord) =>
      gauges.map((gauge, index) => (index === 3 ? { ...gauge, active: 12, cap: 11 } : gauge));
    const verdict = judged((record) => ({ gauges: beyond(record) }));
    expect(verdict.broken).toEqual(["over-admission"]);
    expect(line(verdict, "over-admission")?.seen).toBe("1 (at most 12 of 11)");
  });

  it("fails over-admission when the line was never sampled", () => {
    expect(judged(() => ({ gauges: [] })).broken).toEqual(["over-admission"]);
  });

  /** The 100th visitor enters this much later than the rate allows; those behind enter every 50 ms. */
  const delayed = (record: RunRecord, byMs: number) => ({
    admittedMs: record.visitors.admittedMs.map((ms, index) => (index === 100 ? ms + byMs : ms)),
  });
  const order = (change: (record: RunRecord) => Partial<VisitorColumns>, more: Partial<RunRecord> = {}) => {
    const verdict = judged((record) => ({ ...withColumns(record, change(record)), ...more }));
    return line(verdict, "order of entry");
  };

  it("finds a visitor who enters more than 250 ms after one with a later place", () => {
    expect(order((record) => delayed(record, 300))).toMatchObject({
      isMet: true,
      seen: "0 of 600 overtaken by more than 250 ms, worst 250 ms",
    });
    expect(order((record) => delayed(record, 301))).toMatchObject({
      isMet: false,
      seen: "1 of 600 overtaken by more than 250 ms, worst 251 ms",
    });
  });

  it("lets others pass a visitor who stopped polling", () => {
    const away = (record: RunRecord) => ({ ...delayed(record, 5_000), wasAway: record.visitors.wasAway.with(100, 1) });
    expect(order(away)).toMatchObject({ isMet: true, seen: "0 of 599 overtaken by more than 250 ms, worst 0 ms" });
  });

  it("leaves out visitors for whom the load generator polled late, and counts them", () => {
    const late = (lateMs: number) => (record: RunRecord) => ({
      ...delayed(record, 500),
      lateMs: record.visitors.lateMs.with(100, lateMs),
    });
    expect(order(late(200))?.isMet).toBe(false);
    expect(order(late(201))).toMatchObject({
      isMet: true,
      seen: "0 of 599 overtaken by more than 250 ms, worst 0 ms (not counted: the load generator polled late for 1 of 600 visitors)",
    });
  });

  it("proves nothing when the load generator polled late for more than a fifth", () => {
    const late = (count: number) => (record: RunRecord) => ({
      lateMs: record.visitors.lateMs.map((_, index) => (index < count ? 900 : 0)),
    });
    expect(order(late(120))?.isMet).toBe(true);
    expect(order(late(121))).toMatchObject({
      isMet: false,
      seen: "not judged: the load generator polled late for 121 of 600 visitors",
    });
    // Under a fault visitors cannot poll in time.
    expect(order(late(300), { faults: [{ atMs: 0, untilMs: 1, what: "the store is unavailable" }] })?.isMet).toBe(true);
  });

  it("holds the gate responsible for a refused poll, except under an injected fault", () => {
    const refused = (record: RunRecord) => ({
      ...delayed(record, 500),
      wasRefused: record.visitors.wasRefused.with(100, 1),
    });
    expect(order(refused)).toMatchObject({
      isMet: false,
      seen: expect.stringContaining("(polls of 1 visitors were refused)"),
    });
    expect(order(refused, { faults: [{ atMs: 0, untilMs: 1, what: "the store is unavailable" }] })?.isMet).toBe(true);
  });

  it("compares visitors of one lane only", () => {
    const lanes = (record: RunRecord) => ({ ...delayed(record, 5_000), lane: record.visitors.lane.with(100, 2) });
    expect(order(lanes)?.isMet).toBe(true);
  });

  it("finds visitors who still wait while others with later places are inside", () => {
    const forgotten = (record: RunRecord) => ({
      admittedMs: record.visitors.admittedMs.with(0, -1),
      end: record.visitors.end.with(0, UNDERWAY),
    });
    expect(order(forgotten)).toMatchObject({ isMet: false, seen: expect.stringContaining("1 of 600 overtaken") });
    // Stopped right after the later one entered, the run cannot tell: the other might have been next.
    expect(order(forgotten, { durationMs: 400 })?.isMet).toBe(true);
  });

  it("counts a visitor who enters on arrival as one who overtakes, never as one who is overtaken", () => {
    const walkedIn = (index: number) => (record: RunRecord) => ({
      ...delayed(record, 500),
      walkedIn: record.visitors.walkedIn.with(index, 1),
    });
    expect(order(walkedIn(100))?.isMet).toBe(true);
    expect(order(walkedIn(101))?.isMet).toBe(false);
  });

  it("gives equal places no order", () => {
    const equal = (record: RunRecord) => ({
      ...delayed(record, 5_000),
      joinedOrder: record.visitors.joinedOrder.map((place, index) => (index >= 100 ? 100 : place)),
    });
    expect(order(equal)?.isMet).toBe(true);
  });

  it("does not count the time of a fault", () => {
    const held = (record: RunRecord) => delayed(record, 5_000);
    expect(order(held, { faults: [{ atMs: 0, untilMs: 60_000, what: "the store is unavailable" }] })?.isMet).toBe(true);
  });

  it("does not compare visitors who entered under a fault or right after it, but all others", () => {
    const { admittedMs } = sampleRecord().visitors;
    const [atMs, untilMs] = [(admittedMs[100] ?? 0) + 1, (admittedMs[100] ?? 0) + 500];
    const fault = { atMs, untilMs, what: "the store is unavailable" };
    expect(order((record) => delayed(record, 500), { faults: [fault] })?.isMet).toBe(true);
    // Two seconds later what was told under the fault no longer matters.
    expect(order((record) => delayed(record, 5_000), { faults: [fault] })?.isMet).toBe(false);
  });

  it.each(["no answer", "502", "origin_timeout", "queue_waiting", "token_invalid", "a code outside the catalogue"])(
    "counts %s as an error for an admitted visitor",
    (answer) => {
      const verdict = judged(({ requests }) => ({
        requests: { ...requests, request: { answers: { "200": 9, [answer]: 1 }, seconds: [] } },
      }));
      expect(verdict.broken).toEqual(["errors for admitted visitors"]);
      expect(line(verdict, "errors for admitted visitors")?.seen).toContain(`${answer} × 1`);
    },
  );

  it("accepts a refusal of the order itself as an answer", () => {
    const answers = { "201": 1, self_trade: 3, no_liquidity: 2, "202": 1 };
    expect(judged(({ requests }) => ({ requests: { ...requests, order: { answers, seconds: [] } } })).broken).toEqual(
      [],
    );
  });

  it("finds a visit that failed after its admission", () => {
    const failed = (record: RunRecord) => record.visitors.end.map((end, index) => (index === 7 ? FAILED : end));
    expect(judged((record) => withColumns(record, { end: failed(record) })).broken).toEqual([
      "errors for admitted visitors",
    ]);
  });

  it("finds a stall of one poll interval, to the millisecond", () => {
    const stalled = (stallMs: number) => (record: RunRecord) => {
      const later = (ms: number, index: number) => (index < 300 ? ms : ms + stallMs);
      const { admittedMs, endedMs } = record.visitors;
      const settings = { ...record.settings, pollMsMax: 4_000 };
      return { ...withColumns(record, { admittedMs: admittedMs.map(later), endedMs: endedMs.map(later) }), settings };
    };
    expect(line(judged(stalled(3_999)), "longest stall")?.isMet).toBe(true);
    const verdict = judged(stalled(4_000));
    expect(line(verdict, "longest stall")).toMatchObject({ isMet: false, seen: "4.0 s" });
  });

  it("does not count it as a stall while every slot is taken, even by silent visitors", () => {
    const full = (record: RunRecord): Partial<RunRecord> => {
      const indexes = record.visitors.end.map((_, index) => index);
      const isInside = (index: number) => index < 300;
      return {
        settings: { ...record.settings, pollMsMax: 1_000 },
        ...withColumns(record, {
          admittedMs: record.visitors.admittedMs.map((ms, index) => (isInside(index) ? ms : -1)),
          endedMs: indexes.map(() => -1),
          end: indexes.map((index) => (isInside(index) ? SILENT : 0)),
        }),
      };
    };
    expect(line(judged(full), "longest stall")?.isMet).toBe(true);
  });

  it("does not count the time under a fault as a stall", () => {
    const faulty = (faults: RunRecord["faults"]) => (record: RunRecord) => {
      const later = (ms: number, index: number) => (index < 300 ? ms : ms + 10_000);
      const { admittedMs, endedMs } = record.visitors;
      const settings = { ...record.settings, pollMsMax: 4_000 };
      return {
        faults,
        settings,
        ...withColumns(record, { admittedMs: admittedMs.map(later), endedMs: endedMs.map(later) }),
      };
    };
    const atMs = 14_200;
    expect(
      line(judged(faulty([{ atMs, untilMs: atMs + 10_000, what: "the store is unavailable" }])), "longest stall")
        ?.isMet,
    ).toBe(true);
    expect(
      line(judged(faulty([{ atMs, untilMs: atMs + 5_000, what: "the store is unavailable" }])), "longest stall")?.isMet,
    ).toBe(false);
  });

  it("measures a stall from the opening bell on", () => {
    const early = { ...sampleRecord().settings, bellMs: 30_000, pollMsMax: 1_000 };
    const later = (ms: number) => ms + 30_000;
    const opened = (record: RunRecord) =>
      withColumns(record, {
        admittedMs: record.visitors.admittedMs.map(later),
        endedMs: record.visitors.endedMs.map(later),
      });
    expect(
      judged((record) => ({ settings: early, durationMs: later(record.durationMs), ...opened(record) })).broken,
    ).toEqual([]);
  });

  it("finds a line that drained at less than 95 % of the ideal", () => {
    // Twenty go in at once and the last of the others after 29 s, at best.
    const slowed = (tookMs: number) => (record: RunRecord) => {
      const stretch = (ms: number) => ((ms - 200) * tookMs) / 29_000;
      const { admittedMs, endedMs } = record.visitors;
      const admitted = admittedMs.map(stretch);
      return withColumns(record, {
        admittedMs: admitted,
        endedMs: admitted.map((ms, index) => ms + (endedMs[index] ?? 0) - (admittedMs[index] ?? 0)),
      });
    };
    expect(line(judged(slowed(29_000 / 0.951)), "drain against ideal")?.isMet).toBe(true);
    const verdict = judged(slowed(29_000 / 0.949));
    expect(verdict.broken).toEqual(["drain against ideal"]);
    expect(line(verdict, "drain against ideal")?.seen).toMatch(
      /^94\.9 % \(600 visitors in 30\.6 s, at best 29\.0 s\)$/,
    );
  });

  it("ignores a visitor who returns late", () => {
    const back = (record: RunRecord) => ({
      durationMs: 200_000,
      ...withColumns(record, {
        wasAway: record.visitors.wasAway.with(100, 1),
        admittedMs: record.visitors.admittedMs.with(100, 100_000),
        endedMs: record.visitors.endedMs.with(100, 105_000),
      }),
    });
    expect(line(judged(back), "drain against ideal")).toMatchObject({
      isMet: true,
      seen: expect.stringContaining("599 visitors"),
    });
  });

  /** Ten slots, no other limit; visitors stay for two seconds, and the next ten enter `lateMs` after ten have left. */
  const tenByTen = (lateMs: number) => (record: RunRecord) => {
    const admittedMs = record.visitors.admittedMs.map((_, index) => Math.floor(index / 10) * (2_000 + lateMs));
    return {
      settings: { cap: 10, rate: 1_000, burst: 1_000, pollMsMax: 4_000 },
      durationMs: 60 * (2_000 + lateMs),
      ...withColumns(record, {
        arrivedMs: admittedMs.map(() => 0),
        admittedMs,
        endedMs: admittedMs.map((ms) => ms + 2_000),
      }),
    };
  };

  it("knows that the ideal line waits for slots too", () => {
    expect(line(judged(tenByTen(0)), "drain against ideal")).toMatchObject({
      isMet: true,
      seen: expect.stringContaining("at best 118.0 s"),
    });
    expect(line(judged(tenByTen(200)), "drain against ideal")?.isMet).toBe(false);
  });

  it("measures a stall from when a slot was freed", () => {
    expect(line(judged(tenByTen(3_500)), "longest stall")).toMatchObject({ isMet: true, seen: "3.5 s" });
    expect(line(judged(tenByTen(4_000)), "longest stall")).toMatchObject({ isMet: false, seen: "4.0 s" });
  });

  it("compares a run that ended early with the progress of the ideal line", () => {
    const cut = (shareIn: number) => (record: RunRecord) => {
      const isIn = (index: number) => index < shareIn * 600;
      return {
        wasInterrupted: true,
        durationMs: 14_000,
        ...withColumns(record, {
          admittedMs: record.visitors.admittedMs.map((ms, index) => (isIn(index) ? ms : -1)),
          endedMs: record.visitors.endedMs.map((ms, index) => (isIn(index) ? ms : -1)),
          end: record.visitors.end.map((_, index) => (isIn(index) ? COMPLETED : 0)),
        }),
      };
    };
    // The ideal lets in 20 at once and 20 a second: 300 after 14 s.
    expect(line(judged(cut(0.48)), "drain against ideal")?.isMet).toBe(true);
    expect(line(judged(cut(0.47)), "drain against ideal")?.isMet).toBe(false);
  });

  it("does not judge stalls and drain for one shard", () => {
    const names = judged(() => ({ shard: "2/3" })).lines.map(({ name }) => name);
    expect(names).toContain("order of entry");
    expect(names).not.toContain("longest stall");
    expect(names).not.toContain("drain against ideal");
  });

  it("finds one acknowledged order that is missing", () => {
    const verdict = judged(({ orders }) => ({ orders: orders && { ...orders, lost: 1 } }));
    expect(verdict.broken).toEqual(["acknowledged orders lost"]);
  });

  it("reports how many orders were read back when not all were", () => {
    const verdict = judged(({ orders }) => ({ orders: orders && { ...orders, acknowledged: 50_000, asked: 20_000 } }));
    expect(line(verdict, "acknowledged orders lost")?.seen).toBe("0 (read back 20,000 of 50,000)");
  });

  it("fails when no order was read back", () => {
    expect(judged(({ orders }) => ({ orders: orders && { ...orders, asked: 0 } })).broken).toEqual([
      "acknowledged orders lost",
    ]);
  });

  it("fails when a check at the end failed", () => {
    const check = { name: "audit: conservation", expected: "no fault", seen: "1 fault", isMet: false };
    expect(judged(() => ({ checks: [check] })).broken).toEqual(["audit: conservation"]);
  });
});
