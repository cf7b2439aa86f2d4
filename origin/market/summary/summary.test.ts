import { describe, expect, it } from "vitest";
import { type Random, seededRandom } from "../../../kit/random.ts";
import type { Bar } from "../candles/bar.ts";
import { MINUTE_MS } from "../candles/frames.ts";
import { createDayWindow, windowStart } from "./day-window.ts";
import { NO_BEST_PRICES, percentChange, summaryOf } from "./summary.ts";

const START = Date.UTC(2026, 2, 1);
const PAIR = { pair: "btcidr", baseCurrency: "btc", quoteCurrency: "idr", baseScale: 8, quoteScale: 2 };

function minute(openTime: number, prices: readonly [bigint, bigint, bigint, bigint], volume: bigint): Bar {
  const [open, high, low, close] = prices;
  const ofTakers = { takerBuyVolume: 0n, takerBuyQuoteVolume: 0n, firstTrade: 1, lastTrade: 1 };
  return { openTime, open, high, low, close, volume, quoteVolume: volume * 3n, trades: Number(volume), ...ofTakers };
}

/** A minute as it is after one more random trade. */
function tradedMinute(random: Random, openTime: number, before: Bar | undefined): Bar {
  const price = BigInt(random.between(1, 1_000));
  const high = before !== undefined && before.high > price ? before.high : price;
  const low = before !== undefined && before.low < price ? before.low : price;
  const volume = (before?.volume ?? 0n) + BigInt(random.between(1, 9));
  return minute(openTime, [before?.open ?? price, high, low, price], volume);
}

/** The figures of the window, straight from the minutes. */
function naiveFigures(minutes: Iterable<Bar>, at: number) {
  const counted = [...minutes].filter(({ openTime }) => openTime >= windowStart(at));
  const [first, last] = [counted[0], counted.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const volume = counted.reduce((sum, bar) => sum + bar.volume, 0n);
  const high = counted.reduce((most, bar) => (bar.high > most ? bar.high : most), first.high);
  const low = counted.reduce((least, bar) => (bar.low < least ? bar.low : least), first.low);
  return { open: first.open, high, low, close: last.close, volume, quoteVolume: volume * 3n, trades: Number(volume) };
}

describe("the last 24 hours", () => {
  it.each([1, 2, 3])("equal a sum over the minutes at any time (seed %i)", (seed) => {
    const random = seededRandom(seed);
    const minutes = new Map<number, Bar>();
    const window = createDayWindow();
    let at = START;
    for (let step = 0; step < 2_000; step++) {
      at += random.chance(0.9) ? random.between(0, MINUTE_MS) : random.between(0, random.pick([600_000, 3e7, 2e8]));
      if (random.chance(0.8)) {
        const openTime = at - (at % MINUTE_MS);
        const bar = tradedMinute(random, openTime, minutes.get(openTime));
        minutes.set(openTime, bar);
        window.put(bar);
      }
      window.moveTo(at);
      expect(window.read()).toEqual(naiveFigures(minutes.values(), at));
    }
  });

  it("hold 1,440 closed minutes and the open one", () => {
    const window = createDayWindow();
    for (let count = 0; count <= 1_441; count++) window.put(minute(START + count * MINUTE_MS, [5n, 5n, 5n, 5n], 1n));
    window.moveTo(START + 1_441 * MINUTE_MS + 59_999);
    expect(window.read()?.trades).toBe(1_441);
  });
});

describe("a summary", () => {
  it("shows the last price and no volume for a pair without trades in 24 hours", () => {
    const window = createDayWindow();
    window.put(minute(START, [100n, 300n, 50n, 250n], 2n));
    window.moveTo(START + 2 * 86_400_000);
    const facts = { pair: PAIR, lastPrice: window.lastPrice(), day: window.read(), best: NO_BEST_PRICES, at: START };
    expect(summaryOf(facts)).toEqual({
      ...{ pair: "btcidr", baseCurrency: "btc", quoteCurrency: "idr", lastPrice: "2.5" },
      ...{ open24h: "2.5", high24h: "2.5", low24h: "2.5", volume24h: "0", quoteVolume24h: "0" },
      ...{ bestBid: null, bestAsk: null, bidVolume: "0", askVolume: "0", change24h: "0", tradeCount: 0, at: START },
    });
  });

  it("has no prices before the first trade", () => {
    const summary = summaryOf({ pair: PAIR, lastPrice: undefined, day: undefined, best: NO_BEST_PRICES, at: START });
    expect([summary.lastPrice, summary.open24h, summary.change24h]).toEqual([null, null, "0"]);
  });

  it("states the change in percent, rounded towards zero", () => {
    expect([percentChange(200n, 203n), percentChange(3n, 2n), percentChange(3n, 4n), percentChange(7n, 7n)]).toEqual([
      "1.5",
      "-33.333",
      "33.333",
      "0",
    ]);
  });
});
