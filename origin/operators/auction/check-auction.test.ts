import { expect, it } from "vitest";
import { checkAuction, type PublishedAuction } from "./check-auction.ts";

/** Buys of 5 at 105 and 4 at 103, sells of 6 at 100 and 5 at 104: 6 lots at 103, with buyers left over. */
const right: PublishedAuction = {
  record: {
    ...{ pair: "btcidr", number: 1, tickSize: "0.5", lotSize: "0.01", referencePrice: null },
    ...{ price: "51.5", volume: "0.06", orders: 4, trades: 2 },
  },
  orders: [
    { id: "1", side: "buy", type: "limit", price: "52.5", quantity: "0.05", priority: "1" },
    { id: "2", side: "buy", type: "limit", price: "51.5", quantity: "0.04", priority: "2" },
    { id: "3", side: "sell", type: "limit", price: "50", quantity: "0.06", priority: "3" },
    { id: "4", side: "sell", type: "limit", price: "52", quantity: "0.05", priority: "4" },
  ],
  trades: [
    { id: "7", price: "51.5", quantity: "0.05", buyOrderId: "1", sellOrderId: "3" },
    { id: "8", price: "51.5", quantity: "0.01", buyOrderId: "2", sellOrderId: "3" },
  ],
};

it("accepts an opening that follows the rules", () => {
  expect(checkAuction(right)).toEqual([]);
});

it("accepts an opening without trades", () => {
  const apart = right.orders.filter(({ id }) => id !== "3");
  const record = { ...right.record, price: null, volume: "0", orders: 2, trades: 0 };
  const orders = apart.filter(({ id }) => id !== "1");
  expect(checkAuction({ record, orders, trades: [] })).toEqual([]);
});

const [firstOrder, ...otherOrders] = right.orders as [PublishedAuction["orders"][number]];
const [firstTrade, ...otherTrades] = right.trades as [PublishedAuction["trades"][number]];
const tampered: readonly (readonly [what: string, auction: PublishedAuction, fault: RegExp])[] = [
  ["another price", { ...right, record: { ...right.record, price: "52" } }, /price is 52; by the rule it is 103 ticks/],
  ["another volume", { ...right, record: { ...right.record, volume: "0.05" } }, /volume is 0\.05/],
  ["a missing order", { ...right, orders: otherOrders }, /counts 4 orders, and 3 are published/],
  [
    "an order that is larger than it was",
    { ...right, orders: [{ ...firstOrder, quantity: "0.06" }, ...otherOrders] },
    /Trade 1 should be 6 lots/,
  ],
  ["a missing trade", { ...right, trades: otherTrades }, /counts 2 trades, and 1 are published/],
  [
    "a fill out of turn",
    { ...right, trades: [{ ...firstTrade, buyOrderId: "2" }, ...otherTrades] },
    /Trade 1 should be 5 lots of orders 1 and 3/,
  ],
  [
    "a fill at another price",
    { ...right, trades: [{ ...firstTrade, price: "52" }, ...otherTrades] },
    /at 103 ticks; it is 5 lots of orders 1 and 3 at 104 ticks/,
  ],
  ["orders out of turn", { ...right, orders: [...right.orders].reverse() }, /not in order of priority/],
  [
    "a quantity between two lots",
    { ...right, orders: [{ ...firstOrder, quantity: "0.055" }, ...otherOrders] },
    /not a multiple/,
  ],
];

it.each(tampered)("objects to %s", (_what, auction, fault) => {
  expect(checkAuction(auction).join("\n")).toMatch(fault);
});
