import { z } from "zod";
import type { AuctionRecords } from "../../record/auctions/auction-records.ts";
import type { KnownPairs } from "../../state/known-pairs.ts";
import type { AuctionStore } from "../../trading/auction-store.ts";
import { type Caller, publicOperation, type VenueOperation } from "../operation.ts";
import { answerSchemas } from "../schemas.ts";
import { pairField } from "./fields.ts";

type AuctionParts = { readonly pairs: KnownPairs; readonly auctions: AuctionStore; readonly records: AuctionRecords };

const entrySchema = z
  .strictObject({ sequence: z.int(), hash: z.string() })
  .describe("The journal entry that has it: a link of the hash chain.");

const liveSchema = z
  .strictObject({
    pair: z.string(),
    state: z
      .enum(["none", "collecting", "halted", "opening", "opened"])
      .describe("`none`: the pair never had an auction. `opening`: the bell has rung. `opened`: the last one is over."),
    number: z.int().describe("Counts the pair's auctions."),
    opensAt: z.int().nullable().describe("null if an admin opens it."),
    freezesAt: z.int().nullable().describe("From when on orders cannot be cancelled or changed."),
    referencePrice: z.string().nullable().describe("The last price before the auction."),
    indicative: z
      .strictObject({
        price: z.string(),
        volume: z.string(),
        surplus: z.string(),
        surplusSide: z.enum(["buy", "sell"]).nullable(),
      })
      .nullable()
      .describe(
        "The trades that an opening would make now, at most ten times a second; null when no buyer meets a seller.",
      ),
    result: z
      .strictObject({ price: z.string().nullable(), volume: z.string(), trades: z.int(), openedAt: z.int() })
      .nullable()
      .describe("Of the last auction that has opened; its price is null if nothing traded."),
    sequence: z.int().describe("The commit that this reflects."),
    at: z.int(),
  })
  .register(answerSchemas, { id: "Auction" });

const recordSchema = z
  .strictObject({
    pair: z.string(),
    number: z.int(),
    openedAt: z.int(),
    tickSize: z.string(),
    lotSize: z.string(),
    referencePrice: z.string().nullable(),
    price: z.string().nullable().describe("null if nothing traded."),
    volume: z.string(),
    orders: z.int().describe("How many took part."),
    trades: z.int(),
    entry: entrySchema,
  })
  .register(answerSchemas, { id: "AuctionRecord" });

const ordersSchema = z
  .strictObject({
    orders: z.array(
      z.strictObject({
        id: z.string(),
        side: z.enum(["buy", "sell"]),
        type: z.string(),
        price: z.string().describe("Of a market order: the worst price that it could trade at."),
        quantity: z.string().describe("Its rest at the bell."),
        priority: z.string().describe("Its place among the orders of its price."),
      }),
    ),
    nextFrom: z.int().describe("The `from` of the next page."),
    entry: entrySchema,
  })
  .register(answerSchemas, { id: "AuctionOrderPage" });

const tradesSchema = z
  .strictObject({
    trades: z.array(
      z.strictObject({
        ...{ id: z.string(), price: z.string(), quantity: z.string(), value: z.string() },
        ...{ buyOrderId: z.string(), sellOrderId: z.string(), at: z.int() },
      }),
    ),
    nextAfter: z.string().nullable().describe("The `after` of the next page; null on the last one."),
  })
  .register(answerSchemas, { id: "AuctionTradePage" });

const placeField = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number")
  .default("0");
const numberParams = z.strictObject({
  pair: pairField,
  number: z.string().regex(/^[1-9]\d{0,8}$/, "must be the number of an auction"),
});

/** A page of some hundred kilobytes; the record of a large opening has a few hundred of them. */
const TRADES_PER_PAGE = 1_000;

/** Auctions as the public sees them: now, and the record of each opening (`npm run verify-auction`). */
export function auctionOperations({ pairs, auctions, records }: AuctionParts): readonly VenueOperation[] {
  const find = (params: z.output<typeof numberParams>) =>
    records.find({ pair: params.pair, number: Number(params.number) });

  return [
    publicOperation({
      method: "get",
      path: "/market/{pair}/auction",
      id: "readAuction",
      summary: "The auction of a pair: what would trade now, or the result",
      limit: "read",
      params: z.strictObject({ pair: pairField }),
      answers: { 200: { description: "The state of a moment ago.", schema: liveSchema } },
      refusals: ["pair_not_found"],
      async run(caller, { params: { pair } }) {
        if ((await pairs.findPair(pair)) === undefined) return caller.refuse("pair_not_found");
        return caller.answer(200, await auctions.read(pair));
      },
    }),
    publicOperation({
      method: "get",
      path: "/market/{pair}/auctions/{number}",
      id: "readAuctionRecord",
      summary: "The record of an auction that has opened",
      limit: "read",
      params: numberParams,
      answers: { 200: { description: "It never changes.", schema: recordSchema } },
      refusals: ["auction_not_found", "database_unavailable"],
      async run(caller, { params }) {
        return answerFound(caller, await find(params));
      },
    }),
    publicOperation({
      method: "get",
      path: "/market/{pair}/auctions/{number}/orders",
      id: "listAuctionOrders",
      summary: "Every order that took part, without its owner: buys, then sells, by price and time",
      limit: "read",
      params: numberParams,
      query: z.strictObject({ from: placeField }),
      answers: { 200: { description: "One page.", schema: ordersSchema } },
      refusals: ["auction_not_found", "database_unavailable"],
      async run(caller, { params, query }) {
        const name = { pair: params.pair, number: Number(params.number) };
        return answerFound(caller, await records.orders(name, Number(query.from)));
      },
    }),
    publicOperation({
      method: "get",
      path: "/market/{pair}/auctions/{number}/trades",
      id: "listAuctionTrades",
      summary: "Every trade of an auction, by id, without its owners",
      limit: "read",
      params: numberParams,
      query: z.strictObject({ after: placeField }),
      answers: { 200: { description: "One page.", schema: tradesSchema } },
      refusals: ["auction_not_found", "database_unavailable"],
      async run(caller, { params, query }) {
        const found = await find(params);
        if (found === undefined) return caller.refuse("auction_not_found");
        const page = { afterId: Number(query.after), limit: TRADES_PER_PAGE, rungAt: found.openedAt };
        const trades = await records.trades(found, page);
        const nextAfter = trades.length < TRADES_PER_PAGE ? null : (trades.at(-1)?.id ?? null);
        return caller.answer(200, { trades, nextAfter });
      },
    }),
  ];
}

function answerFound(caller: Caller, found: object | undefined): Response {
  return found === undefined ? caller.refuse("auction_not_found") : caller.answer(200, found);
}
