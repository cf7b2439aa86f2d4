import { expect, it } from "vitest";
import { createPlaceClock } from "./place-clock.ts";

const LANE_0 = 3 * 2 ** 50;
/** The gate's time when our clock shows 0. */
const GATE_MS = 50_000_000_000;
const placeAt = (ms: number) => LANE_0 + (GATE_MS + ms) * 64;

it("knows no place before the first ticket", () => {
  expect(createPlaceClock().earliestPlace(0)).toBeUndefined();
});

it("places a visitor who entered on arrival behind every place assigned before the request, within the latency", () => {
  const clock = createPlaceClock();
  clock.joined(placeAt(100), 400);
  clock.joined(placeAt(1_000), 1_004);
  clock.joined(placeAt(2_000) - 3 * 2 ** 50 + 2 * 2 ** 50, 2_600);
  const place = clock.earliestPlace(1_500) ?? 0;
  expect(place).toBeLessThanOrEqual(placeAt(1_500));
  expect(place).toBeGreaterThan(placeAt(1_490));
});

it("does not read the time from a place that was drawn", () => {
  const clock = createPlaceClock();
  clock.joined(placeAt(2 ** 34) + 1, 10);
  expect(clock.earliestPlace(0)).toBeUndefined();
});
