import { z } from "zod";
import { answerSchemas } from "../api/schemas.ts";
import { amountText, type KnownPair, pairName, priceText, rateText } from "./pair-numbers.ts";

export const pairSchema = z
  .strictObject({
    pair: z.string(),
    name: z.string().describe("As people write it: `BTC/IDR`."),
    baseCurrency: z.string(),
    quoteCurrency: z.string(),
    tickSize: z.string().describe("Prices are multiples of it."),
    lotSize: z.string().describe("Quantities are multiples of it."),
    minimumValue: z.string().describe("Least value of an order, in the quote currency."),
    makerFeeRate: z.string().describe("Share of what a side receives: `0.001` is a tenth of a percent."),
    takerFeeRate: z.string(),
    priceBandRate: z.string().describe("How far from the last price an order may trade; `0` for anywhere."),
    isTrading: z.boolean(),
    lastPrice: z.string().nullable().describe("null before the first trade."),
    version: z.int().describe("Counts the changes of the terms."),
  })
  .register(answerSchemas, { id: "Pair" });

export function pairAnswer(pair: KnownPair): z.input<typeof pairSchema> {
  return {
    pair: pair.pair,
    name: pairName(pair),
    baseCurrency: pair.baseCurrency,
    quoteCurrency: pair.quoteCurrency,
    tickSize: amountText(pair.tickSteps, pair.quoteScale),
    lotSize: amountText(pair.lotSteps, pair.baseScale),
    minimumValue: amountText(pair.valueStepsMin, pair.quoteScale),
    makerFeeRate: rateText(pair.makerFeePpm),
    takerFeeRate: rateText(pair.takerFeePpm),
    priceBandRate: rateText(pair.bandPpm),
    isTrading: pair.isTrading,
    lastPrice: pair.lastTicks === 0 ? null : priceText(pair.lastTicks, pair),
    version: pair.version,
  };
}
