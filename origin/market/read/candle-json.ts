import { barFields } from "../candles/bar-text.ts";
import type { Frame } from "../candles/frames.ts";
import type { Candles, FilledRow } from "./candle-query.ts";

/**
 * The answer of `GET /market/{pair}/candles`. The stored texts are decimal strings already, so it is put together
 * without parsing a number: a thousand bars take less than a millisecond.
 */
export function candlesJson(pair: string, frame: Frame, { rows, asOf }: Candles): string {
  const bars = rows.map(candleJson).join();
  return `{"pair":"${pair}","tf":"${frame}","asOf":{"sequence":${asOf.sequence},"at":${asOf.at}},"candles":[${bars}]}`;
}

function candleJson({ openTime, closeTime, text, isClosed, isDemo }: FilledRow): string {
  const [open, high, low, close, volume, quoteVolume, trades, buyVolume, buyQuoteVolume, first, last] = barFields(text);
  const isEmpty = trades === "0";
  return (
    `{"openTime":${openTime},"closeTime":${closeTime},"open":"${open}","high":"${high}","low":"${low}","close":"${close}",` +
    `"volume":"${volume}","quoteVolume":"${quoteVolume}","trades":${trades},"takerBuyVolume":"${buyVolume}",` +
    `"takerBuyQuoteVolume":"${buyQuoteVolume}","firstTrade":${isEmpty ? null : first},"lastTrade":${isEmpty ? null : last},` +
    `"isClosed":${isClosed}${isDemo === true ? ',"source":"demo"' : ""}}`
  );
}
