import { expect, it } from "vitest";
import type { TradeRow } from "../../engine/changes.ts";
import { createGrids } from "../../instruments/grids.ts";
import { createPairDay } from "../../market/summary/pair-day.ts";
import { createLivePairMarket } from "./live-market.ts";

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 2, 1);
const GRID = { pair: "btcidr", grid: 1, baseCurrency: "btc", quoteCurrency: "idr", tickSteps: 1n, lotSteps: 1n };

function tradeAt(id: number, at: number): TradeRow {
  const facts = { id, pair: "btcidr", grid: 1, at, ticks: 100, lots: 1, value: 100n, takerSide: "buy" };
  return { ...facts, buyOrderId: id, sellOrderId: id } as unknown as TradeRow;
}

it("hands out the bars of a pair without readers minute by minute", () => {
  const grids = createGrids();
  const currencies = ["btc", "idr"].map((currency) => ({ currency, scale: 0 }));
  grids.learn({ currencies, pairs: [GRID] });
  const market = createLivePairMarket({ grids, from: 0, loaded: undefined });
  for (let second = 0; second < 120; second++) market.absorb(second + 1, tradeAt(second + 1, START + second * 1_000));
  expect(market.changedSince("1m", 60)?.map(({ openTime, trades }) => [openTime, trades])).toEqual([
    [START + MINUTE_MS, 60],
  ]);
  expect(market.changedSince("1m", 59)).toHaveLength(2);
  // A second trade of an entry that was shown counts too.
  market.absorb(120, tradeAt(121, START + 119_999));
  expect(market.newest("1m", 1)[0]?.trades).toBe(61);
});

it("holds a day of minutes, although no reader asks", () => {
  const day = createPairDay();
  const prices = { open: 1n, high: 1n, low: 1n, close: 1n, takerBuyVolume: 0n, takerBuyQuoteVolume: 0n };
  for (let minute = 0; minute < 5_000; minute++) {
    const facts = { volume: 1n, quoteVolume: 1n, trades: 1, firstTrade: minute, lastTrade: minute };
    day.put({ openTime: START + minute * MINUTE_MS, ...prices, ...facts });
  }
  expect(day.figures()?.trades).toBeLessThan(1_440 + 20);
});
