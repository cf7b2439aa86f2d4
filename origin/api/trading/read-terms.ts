import { z } from "zod";
import type { FieldFault } from "../../../shared/http/field-faults.ts";
import { parseMoney } from "../../../shared/money.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { PairTerms } from "../../engine/terms.ts";
import { readAmount, readRate } from "../../instruments/amounts.ts";
import { bodySchemas } from "../schemas.ts";
import { currencyField, decimalField } from "./fields.ts";

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
    priceBandRate: decimalField.describe("How far from the last price an order may trade; `0` for no limit."),
    isTrading: z.boolean(),
  })
  .register(bodySchemas, { id: "PairTerms" });

type Scales = { readonly baseScale: number; readonly quoteScale: number };

/** The terms in smallest steps, or every field that is invalid. */
export function readTerms(
  pair: string,
  body: z.output<typeof termsSchema>,
  scales: Scales,
): Result<PairTerms, readonly FieldFault[]> {
  const tick = readAmount(body.tickSize, scales.quoteScale);
  const lot = readAmount(body.lotSize, scales.baseScale);
  const minimum = minimumOf(body.minimumValue, scales.quoteScale);
  const maker = readRate(body.makerFeeRate);
  const taker = readRate(body.takerFeeRate);
  const band = readRate(body.priceBandRate);
  if (!tick.ok || !lot.ok || !minimum.ok || !maker.ok || !taker.ok || !band.ok) {
    const read = {
      tickSize: tick,
      lotSize: lot,
      minimumValue: minimum,
      makerFeeRate: maker,
      takerFeeRate: taker,
      priceBandRate: band,
    };
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
  return parsed.ok && parsed.value >= 0n
    ? ok(parsed.value)
    : fail(`must be a decimal of 0 or more with at most ${scale} decimals`);
}
