import { amountText } from "../../instruments/amounts.ts";
import type { DayFigures } from "./day-window.ts";

/** A pair's market in one row, as clients see it. Figures of 24 hours cover 1,440 closed minutes and the open one. */
export type Summary = {
  readonly pair: string;
  readonly baseCurrency: string;
  readonly quoteCurrency: string;
  /** Null before the first trade, and so are the other prices of trades. */
  readonly lastPrice: string | null;
  /** A pair without trades in 24 hours shows its last price here. */
  readonly open24h: string | null;
  readonly high24h: string | null;
  readonly low24h: string | null;
  readonly volume24h: string;
  readonly quoteVolume24h: string;
  /** Null when a side of the book is empty. */
  readonly bestBid: string | null;
  readonly bestAsk: string | null;
  readonly bidVolume: string;
  readonly askVolume: string;
  /** From `open24h` to `lastPrice` in percent. */
  readonly change24h: string;
  readonly tradeCount: number;
  /** The time that the 24 hours end at. */
  readonly at: number;
};

/** The best prices of a book as texts, with what rests there. */
export type BestPrices = Pick<Summary, "bestBid" | "bestAsk" | "bidVolume" | "askVolume">;

export const NO_BEST_PRICES: BestPrices = { bestBid: null, bestAsk: null, bidVolume: "0", askVolume: "0" };

export type SummarizedPair = {
  readonly pair: string;
  readonly baseCurrency: string;
  readonly quoteCurrency: string;
  readonly baseScale: number;
  readonly quoteScale: number;
};

type SummaryFacts = {
  readonly pair: SummarizedPair;
  readonly lastPrice: bigint | undefined;
  readonly day: DayFigures | undefined;
  readonly best: BestPrices;
  readonly at: number;
};

export function summaryOf({ pair, lastPrice, day, best, at }: SummaryFacts): Summary {
  const price = (steps: bigint | undefined) => (steps === undefined ? null : amountText(steps, pair.quoteScale));
  const open = day?.open ?? lastPrice;
  return {
    pair: pair.pair,
    baseCurrency: pair.baseCurrency,
    quoteCurrency: pair.quoteCurrency,
    lastPrice: price(lastPrice),
    open24h: price(open),
    high24h: price(day?.high ?? lastPrice),
    low24h: price(day?.low ?? lastPrice),
    volume24h: amountText(day?.volume ?? 0n, pair.baseScale),
    quoteVolume24h: amountText(day?.quoteVolume ?? 0n, pair.quoteScale),
    bestBid: best.bestBid,
    bestAsk: best.bestAsk,
    bidVolume: best.bidVolume,
    askVolume: best.askVolume,
    change24h: open === undefined || lastPrice === undefined ? "0" : percentChange(open, lastPrice),
    tradeCount: day?.trades ?? 0,
    at,
  };
}

const PERCENT_SCALE = 3;

/** With three decimals, rounded towards zero. */
export function percentChange(from: bigint, to: bigint): string {
  const thousandths = ((to - from) * 100n * 10n ** BigInt(PERCENT_SCALE)) / from;
  const text = amountText(thousandths < 0n ? -thousandths : thousandths, PERCENT_SCALE);
  return thousandths < 0n ? `-${text}` : text;
}
