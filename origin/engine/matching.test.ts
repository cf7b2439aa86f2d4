import { afterEach, beforeEach, expect, it } from "vitest";
import { type Desk, openDesk, rejected } from "../../kit/engine/desk.ts";

let desk: Desk;

beforeEach(() => {
  desk = openDesk();
});

afterEach(() => expect(desk.engine.verify()).toEqual([]));

const sellersOf = (trades: readonly { readonly sellOrderId: number }[]) => trades.map(({ sellOrderId }) => sellOrderId);

it("trades at the better price first, and with the older order within a price", () => {
  const ids = [101, 100, 100, 102].map((ticks) => desk.placed("ann", "sell", { ticks, lots: 1 }).id);
  expect(sellersOf(desk.trades("bob", "buy", { ticks: 102, lots: 4 }))).toEqual([ids[1], ids[2], ids[0], ids[3]]);
});

it.each([
  ["head", 0],
  ["middle", 1],
  ["tail", 2],
])("keeps the order of the others when the %s of a level is cancelled", (_which, gone) => {
  const ids = [1, 2, 3].map((lots) => desk.placed("ann", "sell", { ticks: 100, lots }).id);
  desk.cancel("ann", ids[gone] ?? 0);
  const late = desk.placed("ann", "sell", { ticks: 100, lots: 1 }).id;
  const expected = [...ids.filter((_, index) => index !== gone), late];
  expect(sellersOf(desk.trades("bob", "buy", { lots: 100 }))).toEqual(expected);
});

it("leaves nothing of an exact fill: neither order, nor frozen money, nor a price", () => {
  const sell = desk.placed("ann", "sell", { ticks: 100, lots: 5 });
  const buy = desk.placed("bob", "buy", { ticks: 100, lots: 5 });
  expect(buy).toMatchObject({ status: "filled", filledLots: 5, cancelReason: "" });
  expect([desk.engine.order(sell.id), desk.engine.order(buy.id)]).toEqual([undefined, undefined]);
  expect([desk.frozen("ann", "gem"), desk.frozen("bob", "idr")]).toEqual([0n, 0n]);
  expect(desk.place("cid", "buy", { lots: 1 })).toEqual(rejected("no_liquidity"));
});

it("makes the rest of a crossing order the new best", () => {
  desk.placed("ann", "sell", { ticks: 100, lots: 2 });
  const rest = desk.placed("bob", "buy", { ticks: 105, lots: 5 });
  expect(rest).toMatchObject({ status: "partiallyFilled", filledLots: 2 });
  expect(desk.trades("ann", "sell", { lots: 1 })).toMatchObject([{ ticks: 105, buyOrderId: rest.id }]);
});

it("trades at the maker's price, and gives the difference back at once", () => {
  desk.placed("ann", "sell", { ticks: 90, lots: 2 });
  const before = desk.available("bob", "idr");
  expect(desk.trades("bob", "buy", { ticks: 100, lots: 3 })).toMatchObject([{ ticks: 90, lots: 2, value: 180n }]);
  expect(desk.available("bob", "idr")).toBe(before - 180n - 100n);
  expect(desk.frozen("bob", "idr")).toBe(100n);
});

it("never rests the remainder of an immediate order", () => {
  desk.placed("ann", "sell", { ticks: 100, lots: 2 });
  const order = desk.placed("bob", "buy", { ticks: 100, lots: 5, timeInForce: "IOC" });
  expect(order).toMatchObject({ status: "cancelled", cancelReason: "immediateOrCancel", filledLots: 2 });
  expect(desk.place("ann", "sell", { lots: 1 })).toEqual(rejected("no_liquidity"));
  expect(desk.frozen("bob", "idr")).toBe(0n);
});

it("fills a fill-or-kill order completely or not at all", () => {
  desk.placed("ann", "sell", { ticks: 100, lots: 2 });
  desk.placed("ann", "sell", { ticks: 101, lots: 2 });
  expect(desk.place("bob", "buy", { ticks: 100, lots: 3, timeInForce: "FOK" })).toEqual(
    rejected("fill_or_kill_unfillable"),
  );
  expect(desk.placed("bob", "buy", { ticks: 101, lots: 3, timeInForce: "FOK" })).toMatchObject({
    status: "filled",
    filledValue: 301n,
  });
});

it("cannot cancel an order that is filled, cancelled, another user's or unknown", () => {
  const sell = desk.placed("ann", "sell", { ticks: 100, lots: 1 });
  const open = desk.placed("ann", "sell", { ticks: 101, lots: 1 });
  desk.placed("bob", "buy", { ticks: 100, lots: 1 });
  expect(desk.cancel("ann", sell.id)).toEqual(rejected("order_not_open"));
  expect(desk.cancel("bob", open.id)).toEqual(rejected("order_not_open"));
  expect(desk.cancel("ann", 999)).toEqual(rejected("order_unknown"));
  expect(desk.cancel("ann", open.id)).toMatchObject({
    kind: "cancelled",
    orders: [{ id: open.id, status: "cancelled" }],
  });
  expect(desk.cancel("ann", open.id)).toEqual(rejected("order_not_open"));
});

it("never gives an id twice, and takes none for a refusal", () => {
  const first = desk.placed("ann", "sell", { ticks: 100, lots: 1 });
  desk.cancel("ann", first.id);
  desk.place("ann", "sell", { ticks: 100, lots: 2 ** 45 });
  expect(desk.placed("ann", "sell", { ticks: 100, lots: 1 }).id).toBe(first.id + 1);
});

it("has no phantom price after the top level was cancelled", () => {
  const top = desk.placed("ann", "sell", { ticks: 100, lots: 1 });
  desk.placed("ann", "sell", { ticks: 100_000_000, lots: 1 });
  desk.cancel("ann", top.id);
  expect(desk.placed("bob", "buy", { ticks: 200, lots: 1 })).toMatchObject({ status: "open" });
  expect(desk.trades("bob", "buy", { ticks: 100_000_000, lots: 1 })).toMatchObject([{ ticks: 100_000_000 }]);
});

it("fills 5,000 orders with one", () => {
  for (let count = 0; count < 5_000; count++) desk.placed("ann", "sell", { ticks: 100 + (count % 7), lots: 1 });
  const trades = desk.trades("bob", "buy", { lots: 5_000 });
  expect(trades).toHaveLength(5_000);
  expect(trades.every(({ ticks }, index) => index === 0 || ticks >= (trades[index - 1]?.ticks ?? 0))).toBe(true);
});

it("meets 5,000 orders at most, and cancels the rest rather than let it cross the book", () => {
  for (let count = 0; count < 5_001; count++) desk.placed("ann", "sell", { ticks: 100, lots: 1 });
  const order = desk.placed("bob", "buy", { ticks: 100, lots: 5_001 });
  expect(order).toMatchObject({ status: "cancelled", cancelReason: "tooManyFills", filledLots: 5_000 });
});

it("cancels 1,000 orders at once and says that there are more", () => {
  for (let count = 0; count < 1_500; count++) desk.placed("ann", "sell", { ticks: 100 + count, lots: 1 });
  const cancelAll = () => desk.apply({ kind: "cancelAll", user: "ann", pair: "" });
  const first = cancelAll();
  expect(first.kind === "cancelled" && [first.orders.length, first.hasMore]).toEqual([1_000, true]);
  const second = cancelAll();
  expect(second.kind === "cancelled" && [second.orders.length, second.hasMore]).toEqual([500, false]);
});

it.each([
  ["cancelNewest", { status: "cancelled", cancelReason: "selfTrade", filledLots: 1 }, "open"],
  ["cancelOldest", { status: "filled", filledLots: 3 }, "gone"],
  ["cancelBoth", { status: "cancelled", cancelReason: "selfTrade", filledLots: 1 }, "gone"],
] as const)("never trades a user with themselves: %s", (selfTrade, expected, own) => {
  desk.placed("ann", "sell", { ticks: 100, lots: 1 });
  const mine = desk.placed("bob", "sell", { ticks: 101, lots: 1 });
  desk.placed("ann", "sell", { ticks: 102, lots: 2 });
  expect(desk.placed("bob", "buy", { ticks: 102, lots: 3, selfTrade })).toMatchObject(expected);
  expect(desk.engine.order(mine.id)?.status ?? "gone").toBe(own);
});

it("refuses a new order that would meet its owner first, when the newest is to go", () => {
  desk.placed("bob", "sell", { ticks: 100, lots: 1 });
  expect(desk.place("bob", "buy", { ticks: 100, lots: 1 })).toEqual(rejected("self_trade"));
  expect(desk.place("bob", "buy", { lots: 1 })).toEqual(rejected("self_trade"));
});

it("does not let a post-only order take liquidity", () => {
  desk.placed("ann", "sell", { ticks: 100, lots: 1 });
  expect(desk.place("bob", "buy", { ticks: 100, lots: 1, postOnly: true })).toEqual(rejected("post_only_would_trade"));
  expect(desk.placed("bob", "buy", { ticks: 99, lots: 1, postOnly: true })).toMatchObject({
    status: "open",
    postOnly: true,
  });
});

it("keeps a book whose prices lie as far apart as they can", () => {
  const prices = [1, 2 ** 31 - 1, 2 ** 30, 17, 16, 15, 999_999_999];
  for (const ticks of prices) desk.placed("ann", "sell", { ticks, lots: 1 });
  desk.apply({ kind: "deposit", user: "bob", currency: "idr", amount: 2n ** 40n, reference: "" });
  const trades = desk.trades("bob", "buy", { lots: prices.length });
  expect(trades.map(({ ticks }) => ticks)).toEqual(prices.toSorted((a, b) => a - b));
});
