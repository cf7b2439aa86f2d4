import { z } from "zod";
import type { FieldFault } from "../../shared/field-faults.ts";
import { parseMoney } from "../../shared/money.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { bodySchemas } from "../api/schemas.ts";
import type { PairTerms } from "../engine/terms.ts";
import { amountOf, rateOf } from "./pair-numbers.ts";

/** Small letters and digits; the name of a pair is two of them in a row. */
export const currencyField = z.string().regex(/^[a-z][a-z0-9]{1,9}$/, "must be a currency in small letters, as in btc");

const decimalField = z.string('must be a decimal number in a string, as in "0.01"').max(60);

export const termsSchema = z
  .strictObject({
    baseCurrency: currencyField,
    quoteCurrency: currencyField,
    tickSize: decimalField.describe("In the quote currency, for one whole unit of the base currency."),
    lotSize: decimalField.describe(
      "In the base currency. One tick times one lot must be a whole number of the quote currency's smallest steps.",
    ),
    minimumValue: decimalField.describe("In the quote currency; `0` for none."),
    makerFeeRate: decimalField.describe("Share of what a side receives: `0.001` is a tenth of a percent."),
    takerFeeRate: decimalField,
    priceBandRate: decimalField.describe("How far from the last price an order may trade; `0` for anywhere."),
    isTrading: z.boolean(),
  })
  .register(bodySchemas, { id: "PairTerms" });

type Scales = { readonly baseScale: number; readonly quoteScale: number };

/** The terms in smallest steps, or every field that cannot be taken. */
export function readTerms(pair: string, body: z.output<typeof termsSchema>, scales: Scales): Result<PairTerms, readonly FieldFault[]> {
  const tick = amountOf(body.tickSize, scales.quoteScale);
  const lot = amountOf(body.lotSize, scales.baseScale);
  const minimum = minimumOf(body.minimumValue, scales.quoteScale);
  const maker = rateOf(body.makerFeeRate);
  const taker = rateOf(body.takerFeeRate);
  const band = rateOf(body.priceBandRate);
  if (!tick.ok || !lot.ok || !minimum.ok || !maker.ok || !taker.ok || !band.ok) {
    const read = { tickSize: tick, lotSize: lot, minimumValue: minimum, makerFeeRate: maker, takerFeeRate: taker, priceBandRate: band };
    return fail(Object.entries(read).flatMap(([field, part]) => (part.ok ? [] : [{ field, message: part.reason }])));
  }
  return ok({
    pair,
    baseCurrency: body.baseCurrency,
    quoteCurrency: body.quoteCurrency,
    tickSteps: tick.value,
    lotSteps: lot.value,
    valueStepsMin: minimum.value,
    makerFeePpm: maker.value,
    takerFeePpm: taker.value,
    isTrading: body.isTrading,
    bandPpm: band.value,
  });
}

function minimumOf(text: string, scale: number): Result<bigint, string> {
  const parsed = parseMoney(text, scale);
  return parsed.ok && parsed.value >= 0n ? ok(parsed.value) : fail(`must be a decimal of 0 or more with at most ${scale} decimals`);
}
