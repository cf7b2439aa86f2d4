import { describe, expect, it } from "vitest";
import type { MinuteOfQueue, QueueStats } from "./client/api-shapes.ts";
import { curvesOf, RANGES, type Sample } from "./curves.ts";
import { type PaceReading, paceOf, withReading } from "./pace.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW_MS = 1_790_000_080_000;
const THIS_MINUTE_MS = Math.floor(NOW_MS / MINUTE_MS) * MINUTE_MS;

function minute(startsAt: number, admitted: number): MinuteOfQueue {
  return { startsAt, admitted, enqueued: 0, expired: 0, left: 0, peakWaiting: admitted * 10, peakActive: 5 };
}

const minutes = Array.from({ length: 180 }, (_, index) =>
  minute(THIS_MINUTE_MS - (179 - index) * MINUTE_MS, index === 179 ? 3 : 120),
);
const hours = Array.from({ length: 24 }, (_, index) => ({
  ...minute(Math.floor(NOW_MS / HOUR_MS) * HOUR_MS - (23 - index) * HOUR_MS, 3_600),
  waitMs: null,
}));
const totals = { enqueued: 0, admitted: 0, expired: 0, left: 0, waitMs: null };
const stats: QueueStats = { at: NOW_MS, totals, hours, minutes };
const [quarter, , threeHours, day] = RANGES;

describe("the curves", () => {
  it("leave out the minute that is not over, which would look like a fall", () => {
    const { times, admittedPerSecond } = curvesOf({ stats, samples: [], nowMs: NOW_MS }, quarter);
    expect(times.length).toBe(14);
    expect(new Set(admittedPerSecond)).toEqual(new Set([2]));
  });

  it("continue with the console's own readings, in order and without duplicates", () => {
    const samples: Sample[] = [-60_000, -30_000, 0].map((off) => ({
      atMs: NOW_MS + off,
      waiting: 7,
      active: 3,
      admittedPerSecond: 1,
    }));
    const { times, waiting } = curvesOf({ stats, samples, nowMs: NOW_MS }, quarter);
    expect(times).toEqual(times.toSorted((left, right) => left - right));
    expect(waiting.slice(-3)).toEqual([7, 7, 7]);
    expect(times.filter((seconds) => seconds * 1000 >= NOW_MS - 60_000).length).toBe(3);
  });

  it("reach as far as requested: minutes for three hours, hours before that", () => {
    expect(curvesOf({ stats, samples: [], nowMs: NOW_MS }, threeHours).times.length).toBe(179);
    const { times, active } = curvesOf({ stats, samples: [], nowMs: NOW_MS }, day);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(20 * 3_600);
    expect(active[0]).toBeNull();
    expect(active.at(-1)).toBe(5);
  });

  it("show the known values when the statistics cannot be read", () => {
    const samples: Sample[] = [{ atMs: NOW_MS, waiting: 7, active: 3, admittedPerSecond: 1 }];
    expect(curvesOf({ stats: undefined, samples, nowMs: NOW_MS }, quarter).waiting).toEqual([7]);
  });
});

describe("the pace", () => {
  const reading = (offMs: number, ...admitted: readonly number[]): PaceReading => ({
    at: THIS_MINUTE_MS + offMs,
    minutes: admitted.map((each, index) => minute(THIS_MINUTE_MS + index * MINUTE_MS, each)),
  });

  it("is counted between two readings, also over the end of a minute", () => {
    expect(paceOf([reading(50_000, 100)])).toBeUndefined();
    expect(paceOf([reading(50_000, 100), reading(55_000, 150)])).toBe(10);
    expect(paceOf([reading(55_000, 100), reading(65_000, 140, 60)])).toBe(10);
    expect(paceOf([reading(50_000, 100), reading(60_000, 100, 0)])).toBe(0);
  });

  it("uses only the last seconds", () => {
    let readings: readonly PaceReading[] = [];
    for (let second = 0; second <= 57; second += 3)
      readings = withReading(readings, reading(second * 1000, second < 30 ? second * 10 : 300));
    expect(paceOf(readings)).toBe(0);
    expect(readings.length).toBeLessThan(8);
  });
});
