import { z } from "zod";
import { defineQuery } from "../../db/define-query.ts";
import beginWritingSource from "./begin-writing.sql";
import ensureMonthSource from "./ensure-month.sql";
import insertAuctionOrdersSource from "./insert-auction-orders.sql";
import insertAuctionsSource from "./insert-auctions.sql";
import insertBodiesSource from "./insert-bodies.sql";
import insertCurrenciesSource from "./insert-currencies.sql";
import insertEntriesSource from "./insert-entries.sql";
import insertGridsSource from "./insert-grids.sql";
import insertParkedSource from "./insert-parked.sql";
import insertPostingsSource from "./insert-postings.sql";
import insertTradesSource from "./insert-trades.sql";
import listCurrenciesSource from "./list-currencies.sql";
import listGridsSource from "./list-grids.sql";
import mayTakeRoleSource from "./may-take-role.sql";
import moveOffsetSource from "./move-offset.sql";
import readOffsetSource from "./read-offset.sql";
import tryConsumerLockSource from "./try-consumer-lock.sql";

/** One driver returns bigint as text and the other as a number, so every statement casts to text. */
export const wholeNumber = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number);
export const steps = z
  .string()
  .regex(/^-?\d+$/)
  .transform(BigInt);

const none = z.unknown();

export const insertTrades = defineQuery({
  name: "insert-trades",
  source: insertTradesSource,
  params: [
    ...(["tradeIds", "sequences", "symbols", "buyUsers", "sellUsers", "buyOrderIds", "sellOrderIds"] as const),
    ...(["takerSides", "prices", "qtys", "values", "buyFees", "sellFees", "atMs", "grids", "auctions"] as const),
  ],
  row: none,
});

export const insertAuctionOrders = defineQuery({
  name: "insert-auction-orders",
  source: insertAuctionOrdersSource,
  params: ["pair", "number", "first", "grid", "sequence", "orders"],
  row: none,
});

export const insertAuctions = defineQuery({
  name: "insert-auctions",
  source: insertAuctionsSource,
  params: [
    ...(["pair", "number", "grid", "sequence", "rungAt", "referenceTicks", "orders", "ticks", "lots"] as const),
    ...(["firstTradeId", "trades"] as const),
  ],
  row: none,
});

export const insertPostings = defineQuery({
  name: "insert-postings",
  source: insertPostingsSource,
  params: ["sequences", "numbers", "accounts", "currencies", "amounts", "kinds", "causes", "references", "atMs"],
  row: none,
});

export const insertEntries = defineQuery({
  name: "insert-entries",
  source: insertEntriesSource,
  params: ["sequences", "journalHashes", "hashes", "lastCommands", "trades", "postings"],
  row: none,
});

export const insertBodies = defineQuery({
  name: "insert-bodies",
  source: insertBodiesSource,
  params: ["sequences", "previousHashes", "hashes", "lastCommands", "bodies"],
  row: none,
});

export const insertParked = defineQuery({
  name: "insert-parked",
  source: insertParkedSource,
  params: ["sequences", "reasons", "bodies"],
  row: none,
});

export const insertCurrencies = defineQuery({
  name: "insert-currencies",
  source: insertCurrenciesSource,
  params: ["currencies", "scales"],
  row: none,
});

export const insertGrids = defineQuery({
  name: "insert-grids",
  source: insertGridsSource,
  params: ["pairs", "grids", "baseCurrencies", "quoteCurrencies", "tickSteps", "lotSteps"],
  row: none,
});

export const listCurrencies = defineQuery({
  name: "list-currencies",
  source: listCurrenciesSource,
  params: [],
  row: z.object({ currency: z.string(), scale: z.int() }),
});

export const listGrids = defineQuery({
  name: "list-grids",
  source: listGridsSource,
  params: [],
  row: z.object({
    pair: z.string(),
    grid: z.int(),
    baseCurrency: z.string(),
    quoteCurrency: z.string(),
    tickSteps: steps,
    lotSteps: steps,
  }),
});

export const moveOffset = defineQuery({
  name: "move-offset",
  source: moveOffsetSource,
  params: ["consumer", "before", "after"],
  row: none,
});

export const readOffset = defineQuery({
  name: "read-offset",
  source: readOffsetSource,
  params: ["consumer"],
  row: z.object({ sequence: wholeNumber, journalHash: z.string(), hash: z.string(), command: z.string() }),
});

export const ensureMonth = defineQuery({
  name: "ensure-month",
  source: ensureMonthSource,
  params: ["month"],
  row: none,
});

export const beginWriting = defineQuery({
  name: "begin-writing",
  source: beginWritingSource,
  params: ["role", "lockMs", "statementMs"],
  row: none,
});

export const tryConsumerLock = defineQuery({
  name: "try-consumer-lock",
  source: tryConsumerLockSource,
  params: ["consumer"],
  row: z.object({ taken: z.boolean() }),
});

export const mayTakeRole = defineQuery({
  name: "may-take-role",
  source: mayTakeRoleSource,
  params: [],
  row: z.object({ allowed: z.boolean() }),
});
