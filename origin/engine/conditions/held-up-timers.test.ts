import { beforeEach, expect, it } from "vitest";
import { type Desk, openDesk, PLAIN_TERMS } from "../../../kit/engine/desk.ts";

const AT = 1_790_000_000_000;
let desk: Desk;

beforeEach(() => {
  desk = openDesk({ bounds: { workMax: 3 } });
  desk.apply({ kind: "setPair", terms: { ...PLAIN_TERMS, pair: "other" } });
});

function expiring(user: string, pair: string, expiresAt: number): number {
  const conditions = { stopTicks: 0, trailingBps: 0, expiresAt, targetProfitPpm: 0, stopLossPpm: 0 };
  return desk.placed(user, "buy", { pair, grid: 1, ticks: 5, lots: 1, timeInForce: "GTD", conditions }).id;
}

const ended = () =>
  desk.engine
    .takeChanges()
    .orders.filter(({ status }) => status === "cancelled")
    .map(({ id }) => id);

it("runs the timers behind one that an auction holds up in their order and in parts, and that one at the opening", () => {
  const held = [expiring("ann", "gemidr", AT + 100), expiring("ann", "gemidr", AT + 100)];
  const free = [400, 200, 300, 200, 900].map((ms) => expiring("bob", "other", AT + ms));
  desk.apply({ kind: "cancelAfter", user: "ann", afterMs: 1_000 });
  desk.configure({ state: "auction", opensAt: AT + 5_000, freezeMs: 5_000 });
  desk.engine.takeChanges();
  expect(desk.engine.nextDueAt()).toBe(AT + 200);
  expect(desk.engine.nextDueAt(AT + 199)).toBe(AT + 5_000);
  desk.wait(500);
  desk.apply({ kind: "tick" });
  expect(ended()).toEqual([free[1], free[3], free[2]]);
  expect(desk.engine.nextDueAt()).toBe(AT + 400);
  desk.apply({ kind: "tick" });
  expect(ended()).toEqual([free[0]]);
  desk.wait(1_000);
  desk.apply({ kind: "tick" });
  expect(ended()).toEqual([free[4]]);
  // Nothing can be done about the others before the opening: no tick is asked for.
  expect(desk.engine.nextDueAt()).toBe(AT + 5_000);
  desk.wait(3_500);
  while (desk.engine.nextDueAt() <= AT + 5_000) desk.apply({ kind: "tick" });
  expect(ended()).toEqual(held);
  expect([desk.frozen("ann", "idr"), desk.engine.nextDueAt()]).toEqual([0n, Number.POSITIVE_INFINITY]);
});
