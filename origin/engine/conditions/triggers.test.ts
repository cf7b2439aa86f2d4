import { afterEach, beforeEach, expect, it } from "vitest";
import { type Desk, openDesk, rejected } from "../../../kit/engine/desk.ts";
import type { OrderConditions } from "../command.ts";

let desk: Desk;

beforeEach(() => {
  desk = openDesk();
});

afterEach(() => expect(desk.engine.verify()).toEqual([]));

const NONE: OrderConditions = { stopTicks: 0, trailingBps: 0, expiresAt: 0, targetProfitPpm: 0, stopLossPpm: 0 };
const at = (stopTicks: number, more: Partial<OrderConditions> = {}) => ({ ...NONE, stopTicks, ...more });

/** One trade at this price. */
function trade(ticks: number): void {
  desk.placed("cid", "sell", { ticks, lots: 1, selfTrade: "none" });
  desk.placed("cid", "buy", { ticks, lots: 1, selfTrade: "none" });
}

const statusOf = (id: number) =>
  desk.engine.takeChanges().orders.find((row) => row.id === id)?.status ?? desk.engine.order(id)?.status;

it("triggers a stop at its price or beyond, and not before", () => {
  trade(100);
  desk.placed("bob", "buy", { ticks: 90, lots: 10 });
  const stop = desk.placed("ann", "sell", { type: "stop", lots: 3, conditions: at(95) });
  expect(stop).toMatchObject({ status: "pending", ticks: 0, conditions: { phase: "waiting", reserved: 3n } });
  expect(desk.frozen("ann", "gem")).toBe(3n);
  trade(96);
  expect(desk.engine.order(stop.id)?.status).toBe("pending");
  trade(95);
  expect(statusOf(stop.id)).toBe("filled");
  expect([desk.frozen("ann", "gem"), desk.engine.pair("gemidr")?.lastTicks]).toEqual([0n, 90]);
});

it("rejects a trigger that is already behind the market, or has no price", () => {
  trade(100);
  const place = (side: "buy" | "sell", type: "stop" | "takeProfit", conditions: OrderConditions) =>
    desk.place("ann", side, { type, lots: 1, conditions });
  for (const [side, type] of [
    ["sell", "stop"],
    ["buy", "takeProfit"],
  ] as const)
    expect(place(side, type, at(100))).toEqual(rejected("would_trigger_immediately"));
  expect(place("buy", "stop", at(100))).toEqual(rejected("would_trigger_immediately"));
  expect(place("sell", "stop", NONE)).toEqual(rejected("trigger_price_missing"));
  expect(place("sell", "stop", { ...NONE, trailingBps: 5_001 })).toEqual(rejected("trailing_invalid"));
});

it("runs triggers by the nearer price, then by age, without recursion and in parts", () => {
  const small = openDesk({ bounds: { workMax: 4 } });
  desk = small;
  trade(100);
  desk.placed("bob", "buy", { ticks: 50, lots: 100 });
  const stops = [98, 97, 98, 99].map(
    (ticks) => desk.placed("ann", "sell", { type: "stop", lots: 1, conditions: at(ticks) }).id,
  );
  trade(97);
  const sellers = () => desk.engine.takeChanges().trades.map(({ sellOrderId }) => sellOrderId);
  const first = sellers();
  expect(desk.engine.nextDueAt()).toBe(0);
  desk.apply({ kind: "tick" });
  const all = [...first, ...sellers()].filter((id) => stops.includes(id));
  expect(all).toEqual([stops[3], stops[0], stops[2], stops[1]]);
  expect(desk.engine.nextDueAt()).toBe(Number.POSITIVE_INFINITY);
});

it("follows the best price with a trailing stop", () => {
  trade(100);
  desk.placed("bob", "buy", { ticks: 10, lots: 100 });
  const stop = desk.placed("ann", "sell", { type: "stop", lots: 1, conditions: { ...NONE, trailingBps: 1_000 } });
  expect(stop.conditions).toMatchObject({ phase: "tracking", extremeTicks: 100 });
  trade(120);
  trade(109);
  expect(desk.engine.order(stop.id)?.conditions).toMatchObject({ phase: "tracking", extremeTicks: 120 });
  trade(108);
  expect(statusOf(stop.id)).toBe("filled");
});

it("cancels an order at its expiry, and all of a user's after the time of the switch", () => {
  const order = desk.placed("ann", "buy", {
    ticks: 5,
    lots: 1,
    timeInForce: "GTD",
    conditions: { ...NONE, expiresAt: 1_790_000_000_500 },
  });
  const other = desk.placed("ann", "buy", { ticks: 5, lots: 1 });
  expect(desk.apply({ kind: "cancelAfter", user: "ann", afterMs: 1_000 })).toEqual({
    kind: "cancelAfter",
    cancelAt: 1_790_000_001_000,
  });
  expect(desk.engine.nextDueAt()).toBe(1_790_000_000_500);
  desk.wait(500);
  desk.apply({ kind: "tick" });
  expect(desk.engine.takeChanges().orders.find(({ id }) => id === order.id)).toMatchObject({
    status: "cancelled",
    cancelReason: "expired",
  });
  desk.wait(500);
  desk.apply({ kind: "tick" });
  expect(desk.engine.takeChanges().orders.find(({ id }) => id === other.id)).toMatchObject({
    status: "cancelled",
    cancelReason: "cancelAfter",
  });
  expect(desk.frozen("ann", "idr")).toBe(0n);
});

it("amends downwards in place, and rejects everything else", () => {
  const first = desk.placed("ann", "sell", { ticks: 100, lots: 5 });
  desk.placed("bob", "sell", { ticks: 100, lots: 5 });
  const amend = (lots: number) =>
    desk.apply({ kind: "amend", user: "ann", orderId: first.id, clientOrderId: "", lots });
  expect(amend(6)).toEqual(rejected("amend_upward"));
  expect(amend(5)).toEqual(rejected("amend_without_effect"));
  expect(amend(3)).toMatchObject({ kind: "order", order: { lots: 3, conditions: { originalLots: 5 } } });
  expect(desk.frozen("ann", "gem")).toBe(3n);
  expect(desk.trades("cid", "buy", { lots: 2 })).toMatchObject([{ sellOrderId: first.id }]);
  expect(amend(2)).toEqual(rejected("amend_below_filled"));
});

it("replaces both or neither, or cancels anyway", () => {
  const old = desk.placed("ann", "sell", { ticks: 100, lots: 5 });
  const behind = desk.placed("bob", "sell", { ticks: 100, lots: 5 });
  const order = {
    kind: "place",
    user: "ann",
    pair: "gemidr",
    grid: 1,
    side: "sell",
    type: "limit",
    quoteAmount: 0n,
    timeInForce: "GTC",
    postOnly: false,
    selfTrade: "cancelNewest",
    clientOrderId: "",
    openOrdersMax: 1,
  } as const;
  const replace = (lots: number, onFailure: "stop" | "continue") =>
    desk.apply({
      kind: "replace",
      user: "ann",
      orderId: old.id,
      clientOrderId: "",
      onFailure,
      order: { ...order, ticks: 101, lots },
    });
  desk.engine.takeChanges();
  const before = desk.engine.stateHash();
  expect(replace(2_000_000_000, "stop")).toEqual(rejected("balance_insufficient"));
  expect(desk.engine.stateHash()).toBe(before);
  expect(desk.trades("cid", "buy", { lots: 1 })).toMatchObject([{ sellOrderId: old.id }]);
  expect(replace(1_000_000_000 - 1, "stop")).toMatchObject({
    kind: "replaced",
    cancelled: { id: old.id, cancelReason: "replaced" },
    placed: { lots: 1_000_000_000 - 1 },
  });
  expect(replace(1, "continue")).toEqual(rejected("order_not_open"));
  expect(desk.trades("cid", "buy", { lots: 1 })).toMatchObject([{ sellOrderId: behind.id }]);
});

it("sells by quote amount no more lots than can be counted exactly, and no more than are frozen", () => {
  const lots = 2n ** 53n + 3n;
  desk.apply({ kind: "deposit", user: "ann", currency: "gem", amount: lots, reference: "" });
  desk.apply({ kind: "deposit", user: "bob", currency: "idr", amount: 2n ** 61n, reference: "" });
  trade(25);
  desk.placed("bob", "buy", { ticks: 18, lots: Number.MAX_SAFE_INTEGER });
  desk.placed("bob", "buy", { ticks: 18, lots: 100 });
  // A twentieth below its price, a lot pays 19.
  const stop = desk.placed("ann", "sell", { type: "stop", quoteAmount: 19n * lots, conditions: at(20) });
  expect(stop.conditions?.reserved).toBe(lots);
  trade(20);
  expect(statusOf(stop.id)).toBe("cancelled");
  expect([desk.frozen("ann", "gem"), desk.frozen("bob", "idr")]).toEqual([0n, 1_800n]);
});
