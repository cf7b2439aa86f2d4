import { expect, it } from "vitest";
import type { OrderRow } from "../../engine/changes.ts";
import { createBookLevels } from "./book-levels.ts";

const order = (id: number, facts: Partial<OrderRow>): OrderRow => ({
  id,
  user: "anna",
  pair: "btcidr",
  grid: 1,
  side: "buy",
  type: "limit",
  timeInForce: "GTC",
  postOnly: false,
  ticks: 100,
  lots: 10,
  quoteAmount: 0n,
  filledLots: 0,
  filledValue: 0n,
  feePaid: 0n,
  status: "open",
  cancelReason: "",
  clientOrderId: "",
  createdAt: 1,
  updatedAt: 1,
  ...facts,
});

it("adds up the open orders' remaining lots at each price, the best first", () => {
  const levels = createBookLevels();
  levels.put(order(1, {}));
  levels.put(order(2, { lots: 5 }));
  levels.put(order(3, { ticks: 101, lots: 7, filledLots: 3, status: "partiallyFilled" }));
  levels.put(order(4, { side: "sell", ticks: 105 }));
  levels.put(order(5, { side: "sell", ticks: 103 }));
  levels.put(order(6, { side: "sell", pair: "ethidr", ticks: 50 }));
  expect(levels.top("btcidr", 10)).toEqual({
    bids: [
      { ticks: 101, lots: 4n, grid: 1 },
      { ticks: 100, lots: 15n, grid: 1 },
    ],
    asks: [
      { ticks: 103, lots: 10n, grid: 1 },
      { ticks: 105, lots: 10n, grid: 1 },
    ],
  });
  expect(levels.top("btcidr", 1).bids).toEqual([{ ticks: 101, lots: 4n, grid: 1 }]);
});

it("counts a repeated row once, and forgets ended orders", () => {
  const levels = createBookLevels();
  const first = order(1, {});
  levels.put(first);
  levels.put(first);
  levels.put(order(2, { filledLots: 4, status: "partiallyFilled" }));
  expect(levels.top("btcidr", 10).bids).toEqual([{ ticks: 100, lots: 16n, grid: 1 }]);
  levels.put(order(1, { status: "cancelled" }));
  levels.put(order(2, { filledLots: 10, status: "filled" }));
  levels.put(order(3, { status: "filled", filledLots: 10 }));
  expect(levels.top("btcidr", 10)).toEqual({ bids: [], asks: [] });
});

it("lists the levels that have changed since a version, each once with its current state", () => {
  const levels = createBookLevels();
  levels.put(order(1, {}));
  const seen = levels.version("btcidr");
  levels.put(order(2, { ticks: 99 }));
  levels.put(order(2, { ticks: 99, filledLots: 4, status: "partiallyFilled" }));
  levels.put(order(1, { status: "cancelled" }));
  levels.put(order(3, { side: "sell", ticks: 100, lots: 2 }));
  expect(levels.changesSince("btcidr", seen)).toEqual([
    { side: "buy", ticks: 99, lots: 6n, grid: 1 },
    { side: "buy", ticks: 100, lots: 0n, grid: 0 },
    { side: "sell", ticks: 100, lots: 2n, grid: 1 },
  ]);
  expect(levels.changesSince("btcidr", levels.version("btcidr"))).toEqual([]);
  const now = levels.version("btcidr");
  levels.put(order(3, { side: "sell", ticks: 100, lots: 2 }));
  expect(levels.version("btcidr")).toBe(now);
});

it("holds changes up to a bound: a version that is too old, or of another book, gets none", () => {
  const levels = createBookLevels();
  for (let id = 1; id <= 20_000; id++) levels.put(order(id, { ticks: 1 + (id % 500) }));
  expect(levels.changesSince("btcidr", 0)).toBeUndefined();
  expect(levels.changesSince("btcidr", 20_001)).toBeUndefined();
  expect(levels.changesSince("btcidr", 20_000 - 8_192)).toHaveLength(500);
});
