import { describe, expect, it } from "vitest";
import { seededRandom } from "../../kit/random.ts";
import { createTimerWheel, SLICE_MS } from "./timer-wheel.ts";

type Call = readonly [visitor: number, dueMs: number, nowMs: number];

function turned(wheel: ReturnType<typeof createTimerWheel>, nowMs: number): readonly Call[] {
  const calls: Call[] = [];
  wheel.turn(nowMs, (visitor, dueMs) => calls.push([visitor, dueMs, nowMs]));
  return calls;
}

describe("the timer wheel", () => {
  it("calls each visitor once, never early, at most a slice late, and in the order of due times", () => {
    const random = seededRandom(7);
    const wheel = createTimerWheel(5_000);
    const dues = Array.from({ length: 5_000 }, () => random.between(0, 90_000) + random.next());
    for (const [visitor, dueMs] of dues.entries()) wheel.schedule(visitor, dueMs);
    const calls: Call[] = [];
    for (let nowMs = 0; nowMs <= 90_010; nowMs += SLICE_MS) calls.push(...turned(wheel, nowMs));
    expect(calls.map(([visitor]) => visitor).toSorted((a, b) => a - b)).toEqual(dues.map((_, visitor) => visitor));
    expect(calls.filter(([visitor, dueMs]) => dueMs !== dues[visitor])).toEqual([]);
    expect(calls.filter(([, dueMs, nowMs]) => nowMs < dueMs || nowMs - dueMs > SLICE_MS)).toEqual([]);
    expect(calls.map(([, dueMs]) => dueMs)).toEqual(dues.toSorted((a, b) => a - b));
    expect(wheel.size()).toBe(0);
  });

  it("reports the due time, however late the turn is", () => {
    const wheel = createTimerWheel(3);
    wheel.schedule(0, 10);
    wheel.schedule(1, 50_000);
    wheel.schedule(2, 999_999);
    expect(turned(wheel, 200_000)).toEqual([
      [0, 10, 200_000],
      [1, 50_000, 200_000],
    ]);
    expect(turned(wheel, 999_998)).toEqual([]);
    expect(turned(wheel, 1_000_000)).toEqual([[2, 999_999, 1_000_000]]);
  });

  it("keeps one appointment per visitor: a new one replaces it, and a cancelled one is not called", () => {
    const wheel = createTimerWheel(3);
    for (const visitor of [0, 1, 2]) wheel.schedule(visitor, 100);
    wheel.schedule(1, 300);
    wheel.cancel(0);
    wheel.cancel(0);
    expect(wheel.size()).toBe(2);
    expect(turned(wheel, 200).map(([visitor]) => visitor)).toEqual([2]);
    expect(turned(wheel, 300).map(([visitor]) => visitor)).toEqual([1]);
  });

  it("accepts appointments during a turn, and calls those in the past in the next turn", () => {
    const wheel = createTimerWheel(2);
    wheel.schedule(0, 10);
    wheel.turn(20, (visitor) => wheel.schedule(visitor, 5));
    expect(turned(wheel, 25)).toEqual([[0, 5, 25]]);
  });
});
