import { describe, expect, it } from "vitest";
import { estimateWait } from "./estimate.ts";

const LINE = { admissionsPerSecond: 0, admissionRate: 2, total: 40 };

describe("the estimate of a wait", () => {
  it("goes by the measured pace, or by the configured one while nothing was measured", () => {
    expect(estimateWait({ ...LINE, position: 20 })).toEqual({ low: 8, likely: 10, high: 15 });
    expect(estimateWait({ ...LINE, position: 20, admissionsPerSecond: 4 })).toEqual({ low: 4, likely: 5, high: 8 });
  });

  it("is likeliest between its bounds, however few stand in a draw", () => {
    for (const total of [1, 2, 3, 1_000]) {
      const { low, likely, high } = estimateWait({ ...LINE, total, position: null, admissionRate: 0.01, opensInSeconds: 30 });
      expect([low, likely, high]).toEqual([low, likely, high].toSorted((one, other) => one - other));
    }
  });

  it("ends at a day, also where the line hardly moves", () => {
    expect(estimateWait({ ...LINE, position: 1_000_000, admissionRate: 0.001 })).toEqual({ low: 86_400, likely: 86_400, high: 86_400 });
  });
});
