import { z } from "zod";
import type { MarketPort, Pair } from "../../trading/trading-port.ts";
import { publicOperation, type VenueOperation } from "../operation.ts";
import { answerSchemas } from "../schemas.ts";
import { cursorField, depthField, limitField, nextCursorField, pageOf, pairField } from "./fields.ts";
import { answerRead, readerOf } from "./trading-answer.ts";

export const pairSchema = z
  .strictObject({
    pair: z.string(),
    name: z.string().describe("As people write it: `BTC/IDR`."),
    baseCurrency: z.string(),
    quoteCurrency: z.string(),
    tickSize: z.string().describe("Prices are multiples of it."),
    lotSize: z.string().describe("Quantities are multiples of it."),
    minimumValue: z.string().describe("The minimum value of an order, in the quote currency."),
    makerFeeRate: z.string().describe("Share of what a side receives: `0.001` is a tenth of a percent."),
    takerFeeRate: z.string(),
    priceBandRate: z.string().describe("How far from the last price an order may trade; `0` for no limit."),
    state: z
      .enum(["trading", "halted", "auction"])
      .describe("`auction`: orders are collected and nothing trades until the opening."),
    isTrading: z.boolean().describe("Whether `state` is `trading`."),
    auctionOpensAt: z.int().nullable().describe("When the auction opens; null if an admin opens it, or without one."),
    auctionFreezeSeconds: z.int().describe("How long before that time orders cannot be cancelled or changed."),
    lastPrice: z.string().nullable().describe("null before the first trade."),
    version: z.int().describe("Counts the changes of the terms."),
  })
  .register(answerSchemas, { id: "Pair" }) satisfies z.ZodType<Pair>;

const pairListSchema = z.strictObject({ pairs: z.array(pairSchema) }).register(answerSchemas, { id: "PairList" });

const levels = z.array(z.tuple([z.string(), z.string()])).describe("`[price, quantity]`, the best first.");

const bookSchema = z
  .strictObject({
    pair: z.string(),
    sequence: z.int().describe("The commit after which the book was in this state."),
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
        takerSide: z.enum(["buy", "sell"]).describe("In an auction, the side of the younger order."),
        at: z.int(),
        auction: z
          .int()
          .nullable()
          .describe("The number of the pair's auction that the trade was part of; null for none."),
      }),
    ),
    nextCursor: nextCursorField,
  })
  .register(answerSchemas, { id: "PublicTradePage" });

const pairParams = z.strictObject({ pair: pairField });

/** Public market data. */
export function marketOperations(trading: MarketPort): readonly VenueOperation[] {
  return [
    publicOperation({
      method: "get",
      path: "/market/pairs",
      id: "listPairs",
      summary: "All pairs and their terms",
      limit: "read",
      answers: { 200: { description: "Sorted by name.", schema: pairListSchema } },
      refusals: ["venue_catching_up"],
      run: (caller) =>
        answerRead(
          caller,
          () => trading.listPairs(readerOf(caller)),
          (pairs) => ({ pairs }),
        ),
    }),
    publicOperation({
      method: "get",
      path: "/market/{pair}/book",
      id: "readBook",
      summary: "The order book of a pair, by price",
      limit: "read",
      params: pairParams,
      query: z.strictObject({ depth: depthField }),
      answers: { 200: { description: "The best prices of both sides.", schema: bookSchema } },
      refusals: ["pair_not_found", "venue_catching_up"],
      run: (caller, { params: { pair }, query: { depth } }) =>
        answerRead(caller, () => trading.readBook(readerOf(caller), { pair, depth: Number(depth) })),
    }),
    publicOperation({
      method: "get",
      path: "/market/{pair}/trades",
      id: "listPairTrades",
      summary: "The latest trades of a pair, the newest first",
      limit: "read",
      params: pairParams,
      query: z.strictObject({ cursor: cursorField, limit: limitField }),
      answers: { 200: { description: "One page of the recent trades.", schema: publicTradesSchema } },
      refusals: ["pair_not_found", "venue_catching_up"],
      run: (caller, { params: { pair }, query }) =>
        answerRead(caller, () => trading.listTrades(readerOf(caller), { pair, ...pageOf(query) })),
    }),
  ];
}
