import { describe, expect, it } from "vitest";
import type { ResourceSeries } from "../record/run-record.ts";
import { sampleRecord } from "../record/sample-record.ts";
import { judgeResources } from "./resources.ts";

const MIB = 1024 * 1024;
const DURATION_MS = 90_000;

function judged(kind: ResourceSeries["kind"], value: (share: number) => number, looks = 90) {
  const points = Array.from(
    { length: looks },
    (_, look) => [(look * DURATION_MS) / looks, value(look / looks)] as const,
  );
  const series: ResourceSeries = { name: "watched", unit: kind === "peak" ? "seconds" : "bytes", kind, points };
  return (
    judgeResources({ ...sampleRecord(), durationMs: DURATION_MS, resources: [series] })[0] ??
    expect.fail("it has a line")
  );
}

describe("a level", () => {
  it("may grow in the first third, and go up and down after it", () => {
    expect(judged("level", (share) => Math.min(1, share * 3) * 400 * MIB + Math.sin(share * 60) * 20 * MIB).isMet).toBe(
      true,
    );
  });

  it("must not grow to the end", () => {
    expect(judged("level", (share) => (100 + 200 * share) * MIB)).toEqual({
      name: "watched",
      expected: "does not grow after the first third",
      seen: "at most 231.1 MiB in the second third, 297.8 MiB in the last",
      isMet: false,
    });
  });

  it("may grow a little when it is small", () => {
    expect(judged("level", (share) => share * 20 * MIB).isMet).toBe(true);
  });

  it("is not judged before it has reached its documented bound", () => {
    const points = Array.from({ length: 90 }, (_, look) => [look * 1_000, look * 50 * MIB] as const);
    const series: ResourceSeries = { name: "held", unit: "bytes", kind: "level", points, settlesAfterMs: 330_000 };
    const lines = (durationMs: number) => judgeResources({ ...sampleRecord(), durationMs, resources: [series] });
    expect(lines(90_000)).toMatchObject([{ expected: "not judged in a run of less than 17 minutes", isMet: true }]);
    const stretched = { ...series, points: points.map(([atMs, value]) => [atMs * 20, value] as const) };
    expect(judgeResources({ ...sampleRecord(), durationMs: 1_800_000, resources: [stretched] })[0]?.isMet).toBe(false);
  });

  it("is not judged by a few samples", () => {
    expect(judged("level", () => 1, 5)).toMatchObject({ seen: "5 samples", isMet: false });
  });
});

describe("a record", () => {
  it("grows with the data", () => {
    expect(judged("record", (share) => share * 900 * MIB).isMet).toBe(true);
  });

  it("must not accelerate", () => {
    expect(judged("record", (share) => share ** 3 * 900 * MIB).isMet).toBe(false);
  });
});

describe("a peak", () => {
  it("stays below its limit", () => {
    expect(judged("peak", () => 0.099).isMet).toBe(true);
    expect(judged("peak", (share) => (share === 0.5 ? 0.12 : 0))).toMatchObject({ seen: "120 ms", isMet: false });
  });

  it("fails if it was never reported", () => {
    expect(judged("peak", () => 0, 0)).toMatchObject({ seen: "never reported", isMet: false });
  });
});
