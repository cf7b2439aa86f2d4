import { describe, expect, it } from "vitest";
import { seededRandom } from "../../kit/random.ts";
import { CURVES, drawArrivals } from "./arrivals.ts";

const draw = (curve: (typeof CURVES)[number], seed = 1) =>
  drawArrivals({ visitors: 10_000, overMs: 60_000, curve, random: seededRandom(seed) });
const within = (arrivals: Float64Array, fromMs: number, toMs: number) =>
  arrivals.filter((at) => at >= fromMs && at < toMs).length;

describe.each(CURVES)("arrivals along a %s", (curve) => {
  it("have the exact number, are sorted and within the time, and repeat for the same seed", () => {
    const arrivals = draw(curve);
    expect(arrivals).toHaveLength(10_000);
    expect(arrivals).toEqual(arrivals.toSorted());
    expect(within(arrivals, 0, 60_000)).toBe(10_000);
    expect(draw(curve)).toEqual(arrivals);
    expect(draw(curve, 2)).not.toEqual(arrivals);
  });

  it("are independent: the gaps vary as much as they are long", () => {
    const arrivals = [...draw(curve)];
    // A slice in which the rate hardly changes.
    const slice = arrivals.filter((at) => at >= 20_000 && at < 24_000);
    const gaps = slice.slice(1).map((at, index) => at - (slice[index] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
    expect(deviation / mean).toBeGreaterThan(0.8);
    expect(deviation / mean).toBeLessThan(1.25);
  });
});

describe("the curves", () => {
  it("spike: 63 % arrive in the first eighth", () => {
    expect(within(draw("spike"), 0, 7_500) / 10_000).toBeCloseTo(0.63, 1);
  });
  it("ramp: a quarter arrives in the first half, and the rate is highest at the end", () => {
    const arrivals = draw("ramp");
    expect(within(arrivals, 0, 30_000) / 10_000).toBeCloseTo(0.25, 1);
    expect(within(arrivals, 54_000, 60_000)).toBeGreaterThan(within(arrivals, 0, 12_000));
  });
  it("steady: a tenth arrives in every tenth of the time", () => {
    const arrivals = draw("steady");
    for (let tenth = 0; tenth < 10; tenth++)
      expect(within(arrivals, tenth * 6_000, (tenth + 1) * 6_000) / 1_000).toBeCloseTo(1, 0);
  });
});
