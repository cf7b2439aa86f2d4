import { assert } from "../../../shared/assert.ts";
import { amountText, stepsOf } from "../../instruments/amounts.ts";
import type { Bar } from "./bar.ts";
import type { PairScales } from "./candle-view.ts";

/**
 * A bar in a hash of candles, where its bucket is the field: decimal strings, so that other programs read it without
 * knowing the pair's grid, separated by commas, because names would take more memory than the numbers.
 */
export function barText(bar: Bar, { baseScale, quoteScale }: PairScales): string {
  const price = (steps: bigint) => amountText(steps, quoteScale);
  const quantity = (steps: bigint) => amountText(steps, baseScale);
  return (
    `${price(bar.open)},${price(bar.high)},${price(bar.low)},${price(bar.close)},` +
    `${quantity(bar.volume)},${price(bar.quoteVolume)},${bar.trades},` +
    `${quantity(bar.takerBuyVolume)},${price(bar.takerBuyQuoteVolume)},${bar.firstTrade},${bar.lastTrade}`
  );
}

const FIELDS = 11;

/** The texts of a bar in the order of `barText`. */
export function barFields(text: string): readonly string[] {
  const fields = text.split(",");
  assert(fields.length === FIELDS, "a stored bar is complete");
  return fields;
}

export function barFrom(openTime: number, text: string, { baseScale, quoteScale }: PairScales): Bar {
  const fields = barFields(text);
  const price = (place: number) => stepsOf(fields[place] as string, quoteScale);
  const quantity = (place: number) => stepsOf(fields[place] as string, baseScale);
  return {
    openTime,
    open: price(0),
    high: price(1),
    low: price(2),
    close: price(3),
    volume: quantity(4),
    quoteVolume: price(5),
    trades: Number(fields[6]),
    takerBuyVolume: quantity(7),
    takerBuyQuoteVolume: price(8),
    firstTrade: Number(fields[9]),
    lastTrade: Number(fields[10]),
  };
}
