import { amountText } from "../../instruments/amounts.ts";
import type { Bar } from "./bar.ts";
import { bucketEnd, type Frame } from "./frames.ts";

/** A candle as clients see it: decimal strings, times in milliseconds. */
export type Candle = {
  readonly openTime: number;
  /** The last millisecond of the bucket. */
  readonly closeTime: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly quoteVolume: string;
  readonly trades: number;
  readonly takerBuyVolume: string;
  readonly takerBuyQuoteVolume: string;
  /** The pair's numbers of the first and the last trade; null for a bar without trades. */
  readonly firstTrade: number | null;
  readonly lastTrade: number | null;
  readonly isClosed: boolean;
};

export type PairScales = { readonly baseScale: number; readonly quoteScale: number };

type CandleFacts = {
  readonly frame: Frame;
  readonly scales: PairScales;
  /** The journal's time: no later entry has an earlier one, so a bar that ends by then is closed. */
  readonly journalAt: number;
};

export function candleOf(bar: Bar, { frame, scales, journalAt }: CandleFacts): Candle {
  const { baseScale, quoteScale } = scales;
  const end = bucketEnd(frame, bar.openTime);
  return {
    openTime: bar.openTime,
    closeTime: end - 1,
    open: amountText(bar.open, quoteScale),
    high: amountText(bar.high, quoteScale),
    low: amountText(bar.low, quoteScale),
    close: amountText(bar.close, quoteScale),
    volume: amountText(bar.volume, baseScale),
    quoteVolume: amountText(bar.quoteVolume, quoteScale),
    trades: bar.trades,
    takerBuyVolume: amountText(bar.takerBuyVolume, baseScale),
    takerBuyQuoteVolume: amountText(bar.takerBuyQuoteVolume, quoteScale),
    firstTrade: bar.trades === 0 ? null : bar.firstTrade,
    lastTrade: bar.trades === 0 ? null : bar.lastTrade,
    isClosed: end <= journalAt,
  };
}
