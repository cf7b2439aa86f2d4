import { z } from "zod";
import type { Grid } from "../../instruments/grid.ts";
import { FRAMES, type Frame, isFrame } from "../../market/candles/frames.ts";
import { type Zone, zoneOf } from "../../market/candles/zones.ts";
import { candlesJson } from "../../market/read/candle-json.ts";
import type { MarketReader } from "../../market/read/market-reader.ts";
import type { Caller, VenueOperation } from "../operation.ts";
import { publicOperation } from "../operation.ts";
import { answerSchemas } from "../schemas.ts";
import { pairField } from "../trading/fields.ts";
import type { AnswerCache } from "./answer-cache.ts";

const price = z.string();

const candleSchema = z.strictObject({
  openTime: z.int(),
  closeTime: z.int().describe("The last millisecond of the bucket."),
  open: price,
  high: price,
  low: price,
  close: price,
  volume: z.string().describe("In the base currency."),
  quoteVolume: z.string(),
  trades: z.int(),
  takerBuyVolume: z.string(),
  takerBuyQuoteVolume: z.string(),
  firstTrade: z.int().nullable().describe("The pair's number of the first trade; null for a bar without trades."),
  lastTrade: z.int().nullable(),
  isClosed: z.boolean().describe("A closed bar does not change any more."),
  source: z.literal("demo").optional().describe("Made up for a demo: no trade belongs to it."),
});

const candlesSchema = z
  .strictObject({
    pair: z.string(),
    tf: z.string(),
    asOf: z
      .strictObject({ sequence: z.int(), at: z.int() })
      .describe("The bars hold every trade up to this journal entry and its time."),
    candles: z.array(candleSchema),
  })
  .register(answerSchemas, { id: "Candles" });

const LIMIT_MAX = 1_000;
const LIMIT_DEFAULT = 500;

/** Milliseconds since 1970. */
export const timeField = z
  .string()
  .regex(/^\d{1,15}$/, "must be milliseconds since 1970")
  .optional()
  .meta({ type: "integer" });

const limitField = z
  .string()
  .refine(
    (text) => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= LIMIT_MAX,
    `must be a whole number from 1 to ${LIMIT_MAX}`,
  )
  .default(String(LIMIT_DEFAULT))
  .meta({ type: "integer", minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT });

export const frameField = z
  .string()
  .max(8)
  .default("1m")
  .describe(`One of ${FRAMES.join(", ")}. Weeks begin on Monday, months are those of the calendar.`);

export const zoneField = z
  .string()
  .max(64)
  .optional()
  .describe("For days and longer frames: `+07:00`, or a name as in `Asia/Tehran`. UTC by default.");

const candlesQuery = z.strictObject({
  tf: frameField,
  from: timeField.describe("Bars that begin at this time or later: the oldest `limit` of them."),
  to: timeField.describe("Bars that begin at this time or earlier. Without `from`, the newest `limit` of them."),
  limit: limitField,
  fill: z
    .enum(["none", "prev"])
    .default("none")
    .describe("`prev` repeats the previous close where nothing was traded."),
  tz: zoneField,
});

export type MarketParts = {
  readonly market: MarketReader;
  readonly cache: AnswerCache;
  readonly findPair: (pair: string) => Promise<Grid | undefined>;
};

export function candleOperation({ market, cache, findPair }: MarketParts): VenueOperation {
  return publicOperation({
    method: "get",
    path: "/market/{pair}/candles",
    id: "listCandles",
    summary: "Candles of a pair, the oldest first",
    limit: "read",
    params: z.strictObject({ pair: pairField }),
    query: candlesQuery,
    answers: { 200: { description: "Bars with trades, and others with `fill=prev`.", schema: candlesSchema } },
    refusals: ["pair_not_found", "frame_unknown", "time_zone_unknown", "range_reversed", "range_too_long"],
    run: (caller, { params, query }) =>
      cache.answer(caller, {
        key: `candles ${params.pair} ${Object.values(query).join(" ")} ${Object.keys(query).join()}`,
        make: async () => {
          const asked = await readAsked(caller, { pair: params.pair, tf: query.tf, tz: query.tz }, findPair);
          if (asked instanceof Response) return asked;
          const { from, to, limit, fill } = query;
          const found = await market.candles({
            ...asked,
            ...{ from: timeOf(from), to: timeOf(to), limit: Number(limit), fill },
          });
          return found.ok ? candlesJson(params.pair, asked.frame, found.value) : caller.refuse(found.reason);
        },
      }),
  });
}

export const timeOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));

type Asked = { readonly pair: Grid; readonly frame: Frame; readonly zone: Zone | undefined };

/** The pair, frame and zone that a request names, or its refusal. */
export async function readAsked(
  caller: Caller,
  { pair, tf, tz }: { readonly pair: string; readonly tf: string; readonly tz: string | undefined },
  findPair: MarketParts["findPair"],
): Promise<Asked | Response> {
  if (!isFrame(tf)) return caller.refuse("frame_unknown", { detail: `Known frames are ${FRAMES.join(", ")}.` });
  const zone = tz === undefined ? undefined : zoneOf(tz);
  if (tz !== undefined && zone === undefined) return caller.refuse("time_zone_unknown");
  const known = await findPair(pair);
  return known === undefined ? caller.refuse("pair_not_found") : { pair: known, frame: tf, zone };
}
