import { afterEach, beforeEach, expect, it } from "vitest";
import { type Desk, openDesk } from "../../../kit/engine/desk.ts";
import type { OrderConditions } from "../command.ts";

let desk: Desk;

beforeEach(() => {
  desk = openDesk({ bounds: { workMax: 20 } });
  trade(100);
});

afterEach(() => expect(desk.engine.verify()).toEqual([]));

const NONE: OrderConditions = { stopTicks: 0, trailingBps: 0, expiresAt: 0, targetProfitPpm: 0, stopLossPpm: 0 };
const at = (stopTicks: number) => ({ ...NONE, stopTicks });

function trade(ticks: number): void {
  desk.placed("cid", "sell", { ticks, lots: 1, selfTrade: "none" });
  desk.placed("cid", "buy", { ticks, lots: 1, selfTrade: "none" });
}

const waves = () => desk.engine.pair("gemidr")?.waves ?? [];

/** The most waves that were left over at any time, and the number of commands until all was done. */
function runAll(): { readonly most: number; readonly ticks: number } {
  let most = waves().length;
  let ticks = 0;
  for (; desk.engine.nextDueAt() === 0; ticks++) {
    desk.apply({ kind: "tick" });
    most = Math.max(most, waves().length);
  }
  return { most, ticks };
}

it("adds no wave for triggers that wait in one already, when each second one goes to the book", () => {
  desk.placed("bob", "buy", { ticks: 50, lots: 1_000 });
  for (let count = 0; count < 100; count++) {
    desk.placed("ann", "sell", { type: "stopLimit", ticks: 90, lots: 1, conditions: at(99) });
    desk.placed("ann", "sell", { type: "stop", lots: 1, conditions: at(99) });
  }
  trade(99);
  const { most, ticks } = runAll();
  expect([most <= 2, ticks > 5]).toEqual([true, true]);
});

it("adds no wave for triggers that wait in one already, when the price swings between both directions", () => {
  desk.placed("bob", "buy", { ticks: 50, lots: 1_000 });
  desk.placed("bob", "sell", { ticks: 114, lots: 1_000 });
  for (let count = 0; count < 50; count++) {
    desk.placed("ann", "sell", { type: "takeProfit", lots: 1, conditions: at(110) });
    desk.placed("ann", "buy", { type: "stop", lots: 1, conditions: at(110) });
    desk.placed("ann", "sell", { type: "stop", lots: 1, conditions: at(90) });
  }
  trade(110);
  const { most, ticks } = runAll();
  expect([most <= 4, ticks > 5]).toEqual([true, true]);
});
