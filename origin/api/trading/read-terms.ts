import { z } from "zod";
import type { FieldFault } from "../../../shared/http/field-faults.ts";
import { parseMoney } from "../../../shared/money.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { PairTerms } from "../../engine/terms.ts";
import { readAmount, readRate } from "../../instruments/amounts.ts";
import { bodySchemas } from "../schemas.ts";
import { currencyField, decimalField } from "./fields.ts";

/** An hour: traders who cannot cancel for longer would not come. */
const FREEZE_SECONDS_MAX = 3_600;

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
    state: z
      .enum(["trading", "halted", "auction"])
      .optional()
      .describe(
        "Default: as it is, and `trading` for a new pair. From an auction to `trading` rings the bell at once.",
      ),
    isTrading: z.boolean().optional().describe("Instead of `state`: `trading` or `halted`."),
    auctionOpensAt: z
      .int()
      .positive()
      .nullable()
      .optional()
      .describe("With state `auction`: when it opens, in milliseconds; null if you open it with state `trading`."),
    auctionFreezeSeconds: z
      .int()
      .min(0)
      .max(FREEZE_SECONDS_MAX)
      .optional()
      .describe("With `auctionOpensAt`: how long before that time orders cannot be cancelled or changed."),
  })
  .register(bodySchemas, { id: "PairTerms" });

type Context = {
  readonly baseScale: number;
  readonly quoteScale: number;
  /** The pair as this process knows it; undefined for a new one. */
  readonly before: Schedule | undefined;
};

/** The terms in smallest steps, or every field that is invalid. */
export function readTerms(
  pair: string,
  body: z.output<typeof termsSchema>,
  { baseScale, quoteScale, before }: Context,
): Result<PairTerms, readonly FieldFault[]> {
  const tick = readAmount(body.tickSize, quoteScale);
  const lot = readAmount(body.lotSize, baseScale);
  const minimum = minimumOf(body.minimumValue, quoteScale);
  const maker = readRate(body.makerFeeRate);
  const taker = readRate(body.takerFeeRate);
  const band = readRate(body.priceBandRate);
  const schedule = scheduleOf(body, before);
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
  if (!schedule.ok) return fail([schedule.reason]);
  return ok({
    pair,
    baseCurrency: body.baseCurrency,
    quoteCurrency: body.quoteCurrency,
    tickSteps: tick.value,
    lotSteps: lot.value,
    valueStepsMin: minimum.value,
    makerFeePpm: maker.value,
    takerFeePpm: taker.value,
    bandPpm: band.value,
    ...schedule.value,
  });
}

type Schedule = Pick<PairTerms, "state" | "opensAt" | "freezeMs">;
type StateBody = Pick<z.output<typeof termsSchema>, "state" | "isTrading" | "auctionOpensAt" | "auctionFreezeSeconds">;

/** Without a state the pair stays in the one that it is in, with its opening: a change of fees does not ring a bell. */
function scheduleOf(body: StateBody, before: Schedule | undefined): Result<Schedule, FieldFault> {
  const { isTrading = body.state === "trading" } = body;
  if (body.state !== undefined && isTrading !== (body.state === "trading"))
    return fail({ field: "isTrading", message: "contradicts `state`: leave it out" });
  const state = body.state ?? namedState(body.isTrading) ?? before?.state ?? "trading";
  if (state === "auction") return openingOf(body, before?.state === "auction" ? before : NO_OPENING);
  const isGiven = (body.auctionOpensAt ?? 0) > 0 || (body.auctionFreezeSeconds ?? 0) > 0;
  return isGiven
    ? fail({ field: "auctionOpensAt", message: "is only for state `auction`" })
    : ok({ state, ...NO_OPENING });
}

const namedState = (isTrading: boolean | undefined) =>
  isTrading === undefined ? undefined : isTrading ? "trading" : "halted";

const NO_OPENING = { opensAt: 0, freezeMs: 0 } as const;

function openingOf(
  { auctionOpensAt, auctionFreezeSeconds }: StateBody,
  before: Pick<Schedule, "opensAt" | "freezeMs">,
): Result<Schedule, FieldFault> {
  const opensAt = auctionOpensAt === undefined ? before.opensAt : (auctionOpensAt ?? 0);
  const keptMs = opensAt === 0 ? 0 : before.freezeMs;
  const freezeMs = auctionFreezeSeconds === undefined ? keptMs : auctionFreezeSeconds * 1_000;
  return opensAt === 0 && freezeMs > 0
    ? fail({ field: "auctionFreezeSeconds", message: "needs `auctionOpensAt`" })
    : ok({ state: "auction", opensAt, freezeMs });
}

function minimumOf(text: string, scale: number): Result<bigint, string> {
  const parsed = parseMoney(text, scale);
  return parsed.ok && parsed.value >= 0n
    ? ok(parsed.value)
    : fail(`must be a decimal of 0 or more with at most ${scale} decimals`);
}
