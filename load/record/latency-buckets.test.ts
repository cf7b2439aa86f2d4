import { describe, expect, it } from "vitest";
import { addBuckets, bucketOf, bucketStartMs, percentileMs } from "./latency-buckets.ts";

describe("latency buckets", () => {
  it("hold the values from their start to the next one's, five per cent wide", () => {
    for (const ms of [0, 0.05, 0.11, 1, 17, 999, 60_000]) {
      const bucket = bucketOf(ms);
      expect(bucketStartMs(bucket)).toBeLessThanOrEqual(ms);
      expect(bucketStartMs(bucket + 1)).toBeGreaterThan(ms);
    }
    expect(bucketStartMs(101) / bucketStartMs(100)).toBeCloseTo(1.05);
    expect(bucketOf(Number.POSITIVE_INFINITY)).toBe(bucketOf(1e12));
  });

  it("give percentiles that are never below the true value, and at most five per cent above", () => {
    const values = Array.from({ length: 1_000 }, (_, index) => index + 1);
    const buckets = addBuckets(values.map((ms) => ({ [bucketOf(ms)]: 1 })));
    for (const [share, exact] of [
      [0.5, 500],
      [0.99, 990],
      [1, 1_000],
    ] as const) {
      expect(percentileMs(buckets, share)).toBeGreaterThanOrEqual(exact);
      expect(percentileMs(buckets, share)).toBeLessThan(exact * 1.051);
    }
    expect(percentileMs({}, 0.5)).toBeUndefined();
  });

  it("add up across machines", () => {
    expect(addBuckets([{ 3: 1, 7: 2 }, { 7: 5 }])).toEqual({ 3: 1, 7: 7 });
  });
});
