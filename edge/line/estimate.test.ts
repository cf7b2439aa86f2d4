import { describe, expect, it } from "vitest";
import { forecastWait } from "./estimate.ts";

const FLOW = {
  admissionsPerSecond: 0,
  freedPerSecond: 0,
  presentShare: 1,
  stillMs: 500,
  freeSlots: 1_000,
  takenSlots: 0,
};
const LINE = { total: 40, admissionRate: 2, flow: FLOW };
const FULL = { ...FLOW, freeSlots: 0, takenSlots: 100 };

describe("the estimate of a wait", () => {
  it("follows the configured rate and the share of present visitors while there are free slots", () => {
    expect(forecastWait({ ...LINE, position: 20 })).toEqual({
      estimate: { low: 6, likely: 10, high: 14 },
      isStalled: false,
    });
    const half = { ...FLOW, presentShare: 0.5 };
    expect(forecastWait({ ...LINE, flow: half, position: 20 }).estimate.likely).toBe(5);
  });

  it("follows the measured pace of leaving visitors in a full room", () => {
    const flow = { ...FULL, freedPerSecond: 0.5 };
    expect(forecastWait({ ...LINE, flow, position: 20 })).toEqual({
      estimate: { low: 11, likely: 40, high: 102 },
      isStalled: false,
    });
  });

  it("reports a stalled full room, with the latest time, and never a small number", () => {
    const flow = { ...FULL, freedPerSecond: 0.001, stillMs: 6_000_000 };
    const stalled = forecastWait({ ...LINE, flow, position: 40, latestInSeconds: 900 });
    expect(stalled).toEqual({ estimate: { low: 14, likely: 922, high: 922 }, isStalled: true });
    expect(forecastWait({ ...LINE, flow: FULL, position: 40 })).toMatchObject({
      isStalled: true,
      estimate: { high: 86_400 },
    });
  });

  it("knows only the sessions' ends while a room fills and no session has ended yet", () => {
    const flow = { ...FLOW, freeSlots: 10, takenSlots: 90 };
    const { estimate, isStalled } = forecastWait({ ...LINE, flow, position: 40, latestInSeconds: 600 });
    expect([estimate.low, estimate.high, isStalled]).toEqual([13, 624, false]);
  });

  it("does not call a usual pause a stall", () => {
    const flow = { ...FULL, freedPerSecond: 0.1, stillMs: 40_000 };
    expect(forecastWait({ ...LINE, flow, position: 1 }).isStalled).toBe(false);
  });

  it("is likely between its bounds, however small the draw", () => {
    for (const total of [1, 2, 3, 1_000]) {
      const { low, likely, high } = forecastWait({
        ...LINE,
        total,
        position: null,
        admissionRate: 0.01,
        opensInSeconds: 30,
      }).estimate;
      expect([low, likely, high]).toEqual([low, likely, high].toSorted((one, other) => one - other));
    }
  });

  it("ends at a day, also where the line hardly moves", () => {
    const { estimate } = forecastWait({ ...LINE, position: 1_000_000, admissionRate: 0.001 });
    expect(estimate).toEqual({ low: 86_400, likely: 86_400, high: 86_400 });
  });
});
