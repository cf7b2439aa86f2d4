import { expect, it } from "vitest";
import { mostOverRate } from "./line-entries.ts";

const LIMITS = { rate: 10, burst: 2 };

it("accepts a line that uses its burst and then every token", () => {
  expect(mostOverRate([0, 0, 100, 200, 300], LIMITS)).toBe(0);
});

it("counts entries beyond the burst and the rate of any window", () => {
  expect(mostOverRate([0, 0, 0], LIMITS)).toBeCloseTo(1, 1);
  expect(mostOverRate([1_000, 1_100, 1_200, 1_250, 1_260], LIMITS)).toBeGreaterThan(0.3);
});
