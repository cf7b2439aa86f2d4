import type { Grid } from "../../instruments/grid.ts";
import type { Bar, MutableBar } from "../candles/bar.ts";
import { MINUTE_MS } from "../candles/frames.ts";
import type { MarketTrade } from "../market-trade.ts";

/** Minutes straight from the trades, one by one, without any code of the fold: the other side of the comparison. */
export type NaiveMinutes = {
  readonly add: (trade: MarketTrade, grid: Grid) => void;
  /** Ascending. Trades are numbered from 1 on; `firstNumber` moves them all. */
  readonly bars: (firstNumber?: number) => readonly Bar[];
  readonly trades: () => number;
  readonly scales: () => Grid | undefined;
};

export function createNaiveMinutes(): NaiveMinutes {
  const minutes = new Map<number, MutableBar>();
  let trades = 0;
  let scales: Grid | undefined;

  return {
    add({ at, ticks, lots, value, takerSide }, grid) {
      trades++;
      scales = grid;
      const openTime = Math.floor(at / MINUTE_MS) * MINUTE_MS;
      const price = BigInt(ticks) * grid.tickSteps;
      const volume = BigInt(lots) * grid.lotSteps;
      let bar = minutes.get(openTime);
      if (bar === undefined) {
        const nothing = { volume: 0n, quoteVolume: 0n, trades: 0, takerBuyVolume: 0n, takerBuyQuoteVolume: 0n };
        const prices = { open: price, high: price, low: price, close: price };
        bar = { openTime, ...prices, ...nothing, firstTrade: trades, lastTrade: trades };
        minutes.set(openTime, bar);
      }
      bar.high = price > bar.high ? price : bar.high;
      bar.low = price < bar.low ? price : bar.low;
      bar.close = price;
      bar.volume += volume;
      bar.quoteVolume += value;
      bar.trades++;
      bar.takerBuyVolume += takerSide === "buy" ? volume : 0n;
      bar.takerBuyQuoteVolume += takerSide === "buy" ? value : 0n;
      bar.lastTrade = trades;
    },
    bars(firstNumber = 1) {
      const shift = firstNumber - 1;
      return [...minutes.values()].map((bar) => ({
        ...bar,
        firstTrade: bar.firstTrade + shift,
        lastTrade: bar.lastTrade + shift,
      }));
    },
    trades: () => trades,
    scales: () => scales,
  };
}
