import { z } from "zod";
import { publicOperation, type VenueOperation } from "../api/operation.ts";
import { answerSchemas } from "../api/schemas.ts";
import type { Desk } from "../orders/desk.ts";
import { pairField } from "../orders/new-order-schema.ts";
import { cursorField, limitField, nextCursorField } from "../orders/paging.ts";
import type { KnownPairs } from "./known-pairs.ts";
import type { MarketStore } from "./market-store.ts";
import { pairAnswer, pairSchema } from "./pair-answer.ts";

type MarketParts = { readonly desk: Desk; readonly pairs: KnownPairs; readonly store: MarketStore };

const DEPTH_MAX = 100;
const DEPTH_DEFAULT = 20;

const depthField = z
  .string()
  .refine((text) => /^[1-9]\d{0,2}$/.test(text) && Number(text) <= DEPTH_MAX, `must be a whole number from 1 to ${DEPTH_MAX}`)
  .default(String(DEPTH_DEFAULT))
  .meta({ type: "integer", minimum: 1, maximum: DEPTH_MAX, default: DEPTH_DEFAULT });

const pairListSchema = z.strictObject({ pairs: z.array(pairSchema) }).register(answerSchemas, { id: "PairList" });

const levels = z.array(z.tuple([z.string(), z.string()])).describe("`[price, quantity]`, the best first.");

const bookSchema = z
  .strictObject({
    pair: z.string(),
    sequence: z.int().describe("The commit after which it stood so."),
    at: z.int(),
    bids: levels,
    asks: levels,
  })
  .register(answerSchemas, { id: "Book" });

const publicTradesSchema = z
  .strictObject({
    trades: z.array(
      z.strictObject({
        id: z.string(),
        price: z.string(),
        quantity: z.string(),
        value: z.string(),
        takerSide: z.enum(["buy", "sell"]),
        at: z.int(),
      }),
    ),
    nextCursor: nextCursorField,
  })
  .register(answerSchemas, { id: "PublicTradePage" });

const pairParams = z.strictObject({ pair: pairField });

/** What everybody may see of the market. */
export function marketOperations({ desk, pairs, store }: MarketParts): readonly VenueOperation[] {
  return [
    publicOperation({
      method: "get",
      path: "/market/pairs",
      id: "listPairs",
      summary: "All pairs and their terms",
      limit: "read",
      answers: { 200: { description: "In order of their names.", schema: pairListSchema } },
      refusals: ["venue_catching_up"],
      async run(caller) {
        const behind = await desk.catchUp(caller);
        if (behind !== undefined) return behind;
        await pairs.refresh();
        return caller.answer(200, { pairs: pairs.all().map(pairAnswer) });
      },
    }),
    publicOperation({
      method: "get",
      path: "/market/{pair}/book",
      id: "readBook",
      summary: "The book of a pair, by price",
      limit: "read",
      params: pairParams,
      query: z.strictObject({ depth: depthField }),
      answers: { 200: { description: "The best prices of both sides.", schema: bookSchema } },
      refusals: ["pair_not_found", "venue_catching_up"],
      async run(caller, { params: { pair }, query: { depth } }) {
        if ((await pairs.findPair(pair)) === undefined) return caller.refuse("pair_not_found");
        const behind = await desk.catchUp(caller);
        return behind ?? caller.answer(200, await store.book(pair, Number(depth)));
      },
    }),
    publicOperation({
      method: "get",
      path: "/market/{pair}/trades",
      id: "listPairTrades",
      summary: "The latest trades of a pair, the newest first",
      limit: "read",
      params: pairParams,
      query: z.strictObject({ cursor: cursorField, limit: limitField }),
      answers: { 200: { description: "One page of those that are kept at hand.", schema: publicTradesSchema } },
      refusals: ["pair_not_found", "venue_catching_up"],
      async run(caller, { params: { pair }, query: { cursor, limit } }) {
        if ((await pairs.findPair(pair)) === undefined) return caller.refuse("pair_not_found");
        const behind = await desk.catchUp(caller);
        if (behind !== undefined) return behind;
        const page = { beforeId: cursor === undefined ? undefined : Number(cursor), limit: Number(limit) };
        return caller.answer(200, await store.trades(pair, page));
      },
    }),
  ];
}
