import { describe, expect, it } from "vitest";
import { type Zone, zoneBucketEnd, zoneBucketStart, zoneOf } from "./zones.ts";

const iso = (at: number) => new Date(at).toISOString();
const zone = (name: string) => zoneOf(name) as Zone;

describe("a day of a time zone", () => {
  it("begins at local midnight, with a fixed offset or by name", () => {
    const at = Date.UTC(2026, 2, 10, 20, 30);
    expect(iso(zoneBucketStart("1d", at, zone("+07:00")))).toBe("2026-03-10T17:00:00.000Z");
    expect(iso(zoneBucketStart("1d", at, zone("Asia/Tehran")))).toBe("2026-03-10T20:30:00.000Z");
    expect(iso(zoneBucketStart("1d", at - 1, zone("Asia/Tehran")))).toBe("2026-03-09T20:30:00.000Z");
    expect(iso(zoneBucketStart("1w", at, zone("Asia/Kathmandu")))).toBe("2026-03-08T18:15:00.000Z");
    expect(iso(zoneBucketStart("1M", at, zone("-03:30")))).toBe("2026-03-01T03:30:00.000Z");
  });

  it("has 23 or 25 hours when the clock changes, and the next begins where it ends", () => {
    const berlin = zone("Europe/Berlin");
    const hours = [Date.UTC(2026, 2, 29, 12), Date.UTC(2026, 9, 25, 12), Date.UTC(2026, 5, 1, 12)].map((at) => {
      const start = zoneBucketStart("1d", at, berlin);
      const end = zoneBucketEnd("1d", start, berlin);
      expect(zoneBucketStart("1d", end, berlin)).toBe(end);
      expect(zoneBucketStart("1d", end - 1, berlin)).toBe(start);
      return (end - start) / 3_600_000;
    });
    expect(hours).toEqual([23, 25, 24]);
  });

  it.each(["+15:00", "+07:10", "7", "Mars/Olympus", "", "../etc", "Asia/Tehran "])("does not exist for %j", (name) => {
    expect(zoneOf(name)).toBeUndefined();
  });
});
