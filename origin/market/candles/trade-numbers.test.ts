import { expect, it } from "vitest";
import { NO_TRADES, numbersAfter } from "./trade-numbers.ts";

it("trades are numbered without gaps, and those of one taker order at one price share an aggregate", () => {
  const trade = { at: 5, grid: 1, ticks: 100, takerSide: "buy", buyOrderId: 9, sellOrderId: 1 } as const;
  const trades = [
    trade,
    { ...trade, sellOrderId: 2 },
    { ...trade, sellOrderId: 3, ticks: 101 },
    { ...trade, takerSide: "sell", sellOrderId: 10, ticks: 101 },
    { ...trade, takerSide: "sell", sellOrderId: 10, buyOrderId: 4, ticks: 101 },
    { ...trade, buyOrderId: 11, ticks: 101 },
  ] as const;
  let numbers = NO_TRADES;
  const given = trades.map((next) => {
    numbers = numbersAfter(numbers, next);
    return [numbers.trades, numbers.aggregates];
  });
  expect(given).toEqual([
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 3],
    [5, 3],
    [6, 4],
  ]);
});
