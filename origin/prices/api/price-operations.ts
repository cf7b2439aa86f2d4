import { z } from "zod";
import { bearerToken } from "../../api/authenticate.ts";
import { type Caller, publicOperation, type VenueOperation } from "../../api/operation.ts";
import { answerSchemas } from "../../api/schemas.ts";
import { boardItemSchema } from "../board/board-item.ts";
import { listed } from "../board/known-board.ts";
import { parseDay, toJalali } from "../calendar/jalali.ts";
import { RANGE_NAMES, RANGES } from "../history/read-history.ts";
import { ITEM_TYPES, itemCodeField } from "../items/item.ts";
import type { PriceReads } from "./price-reads.ts";

const quotaSchema = z
  .strictObject({
    limit: z.int().describe("Fresh requests in a window of two hours."),
    used: z.int(),
    remaining: z.int(),
    windowEndsAt: z.int(),
    retryAfterSeconds: z.int().describe("0 while fresh requests are left."),
    secondsToNextWindow: z.int(),
  })
  .register(answerSchemas, { id: "PriceQuota" });

const listedSchema = boardItemSchema.omit({ today: true, yesterday: true, comparisons: true });
const priceListSchema = z.strictObject({ items: z.array(listedSchema) }).register(answerSchemas, { id: "PriceList" });
const priceSchema = boardItemSchema
  .extend({ quota: quotaSchema.optional().describe("With `fresh=true`.") })
  .register(answerSchemas, { id: "Price" });

const barSchema = z.strictObject({
  openTime: z.int(),
  timeframe: z.enum(["10m", "1h", "1d"]),
  date: z.string().describe("The day in Tehran."),
  dateJalali: z.string(),
  open: z.string(),
  high: z.string(),
  low: z.string(),
  close: z.string(),
  dataPoints: z.int().describe("How many prices it was made from."),
  isComplete: z.boolean(),
  hasMissingData: z.boolean(),
  source: z.enum(["api", "calculated", "interpolated"]),
});

const historySchema = z
  .strictObject({
    itemCode: z.string(),
    unit: z.string(),
    range: z.enum(RANGE_NAMES).nullable(),
    resolution: z.enum(["10m", "1h", "1d"]),
    bars: z.array(barSchema).describe("Oldest first. Older stretches are coarser."),
    date: z.string().optional(),
    dateJalali: z.string().optional(),
    day: barSchema.nullable().optional().describe("With `date`: the day's prices; null where none are known."),
  })
  .register(answerSchemas, { id: "PriceHistory" });

const itemParams = z.strictObject({ itemCode: itemCodeField });

/** The edge keeps public answers for five seconds at most; prices change every ten minutes. */
const PUBLIC = { "cache-control": "public, max-age=5" };
const OWN = { "cache-control": "no-store" };

/** Tracked prices, public. Fresh requests count against a quota; nothing here fails when a provider or a store does. */
export function priceOperations(prices: PriceReads): readonly VenueOperation[] {
  return [
    publicOperation({
      method: "get",
      path: "/prices",
      id: "listPrices",
      summary: "All tracked prices, in the order of the board",
      limit: "read",
      query: z.strictObject({ type: z.enum(ITEM_TYPES).optional() }),
      answers: {
        200: { description: "The latest known prices; `dataAge` says how good they are.", schema: priceListSchema },
        304: { description: "Unchanged since the tag in If-None-Match." },
      },
      refusals: [],
      run: async (caller, { query: { type } }) => {
        const board = prices.board();
        const headers = { ...PUBLIC, etag: board.etag };
        if (caller.header("if-none-match") === board.etag) return caller.answer(304, undefined, headers);
        if (type === undefined) return caller.answerJson(board.body, headers);
        const items = board.items.filter(({ itemType }) => itemType === type).map(listed);
        return caller.answer(200, { items }, PUBLIC);
      },
    }),
    publicOperation({
      method: "get",
      path: "/prices/quota",
      id: "readPriceQuota",
      summary: "Your fresh requests of this window, by account or by address",
      limit: "read",
      answers: { 200: { description: "How many are left, and when the next window begins.", schema: quotaSchema } },
      refusals: [],
      run: async (caller) => {
        const quota = await prices.readQuota(askerOf(caller));
        return caller.answer(200, quota, { ...OWN, ...quotaHeaders(quota) });
      },
    }),
    publicOperation({
      method: "get",
      path: "/prices/{itemCode}",
      id: "readPrice",
      summary: "One price, with the courses of today and yesterday",
      description:
        "`fresh=true` reads the newest price and takes one of your 20 fresh requests of two hours. Beyond them the answer is the last known price, with `dataAge: stale` and the time until the next window; it is never an error.",
      limit: "read",
      params: itemParams,
      query: z.strictObject({ fresh: z.enum(["true", "false"]).default("false") }),
      answers: { 200: { description: "The price.", schema: priceSchema } },
      refusals: ["item_not_found"],
      run: async (caller, { params: { itemCode }, query: { fresh } }) => {
        if (fresh === "false") {
          const item = prices.board().find(itemCode);
          return item === undefined ? caller.refuse("item_not_found") : caller.answer(200, item, PUBLIC);
        }
        const read = await prices.readFresh(itemCode, askerOf(caller));
        if (read === undefined) return caller.refuse("item_not_found");
        return caller.answer(200, read, { ...OWN, ...quotaHeaders(read.quota) });
      },
    }),
    publicOperation({
      method: "get",
      path: "/prices/{itemCode}/history",
      id: "readPriceHistory",
      summary: "The course of a price over a range, or its prices on one day",
      limit: "read",
      params: itemParams,
      query: z.strictObject({
        range: z.enum(RANGE_NAMES).default("1m"),
        date: z
          .string()
          .refine((text) => parseDay(text).ok, "must be a day as in 2025-01-16 or 1403-10-27")
          .optional()
          .describe("A day in the Gregorian or the Jalali calendar."),
      }),
      answers: { 200: { description: "Bars in the resolution of the range.", schema: historySchema } },
      refusals: ["item_not_found", "database_unavailable"],
      run: async (caller, { params: { itemCode }, query: { range, date } }) => {
        const item = prices.board().find(itemCode);
        if (item === undefined) return caller.refuse("item_not_found");
        const { unit } = item;
        if (date === undefined) {
          const bars = await prices.history(itemCode, range);
          return caller.answer(200, { itemCode, unit, range, resolution: RANGES[range].resolution, bars }, PUBLIC);
        }
        const parsed = parseDay(date);
        if (!parsed.ok) return caller.refuse("validation_failed");
        const day = (await prices.day(itemCode, parsed.value)) ?? null;
        const dates = { date: parsed.value, dateJalali: toJalali(parsed.value) };
        const bars = day === null ? [] : [day];
        return caller.answer(200, { itemCode, unit, range: null, resolution: "1d", bars, ...dates, day }, PUBLIC);
      },
    }),
  ];
}

function askerOf({ header, place }: Caller) {
  return { token: bearerToken(header("authorization") ?? null), address: place.address };
}

/** RFC 9110 10.2.3 for Retry-After; the quota is not the API's rate limit, so its headers have other names. */
function quotaHeaders(quota: {
  limit: number;
  remaining: number;
  secondsToNextWindow: number;
  retryAfterSeconds: number;
}) {
  return {
    "x-quota-limit": String(quota.limit),
    "x-quota-remaining": String(quota.remaining),
    "x-quota-reset": String(quota.secondsToNextWindow),
    ...(quota.retryAfterSeconds === 0 ? {} : { "retry-after": String(quota.retryAfterSeconds) }),
  };
}
