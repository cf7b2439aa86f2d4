import { z } from "zod";
import { defineQuery } from "../../db/define-query.ts";
import { steps, wholeNumber } from "../ledger/ledger-queries.ts";
import countStraysSource from "./count-strays.sql";
import listEntriesSource from "./list-entries.sql";
import listParkedSource from "./list-parked.sql";
import listPostingsSource from "./list-postings.sql";
import listTotalsSource from "./list-totals.sql";
import listTradesSource from "./list-trades.sql";
import listWalksSource from "./list-walks.sql";
import putWalkSource from "./put-walk.sql";
import readEntryHashSource from "./read-entry-hash.sql";
import upsertTotalsSource from "./upsert-totals.sql";

export const listEntries = defineQuery({
  name: "list-entries",
  source: listEntriesSource,
  params: ["after", "upTo", "limit"],
  row: z.object({
    sequence: wholeNumber,
    journalHash: z.string(),
    hash: z.string(),
    trades: z.int(),
    postings: z.int(),
  }),
});

const text = z.string();

export const listTrades = defineQuery({
  name: "list-trades",
  source: listTradesSource,
  params: ["afterTradeId", "upTo", "limit"],
  row: z.object({
    tradeId: text,
    sequence: wholeNumber,
    symbol: text,
    grid: text,
    buyUser: text,
    sellUser: text,
    buyOrderId: text,
    sellOrderId: text,
    takerSide: text,
    price: text,
    qty: text,
    value: text,
    buyFee: text,
    sellFee: text,
    atMs: text,
    auction: text,
  }),
});

export const listPostings = defineQuery({
  name: "list-postings",
  source: listPostingsSource,
  params: ["after", "upTo"],
  row: z.object({
    sequence: wholeNumber,
    account: text,
    currency: text,
    amount: text,
    kind: z.enum(["trade", "fee", "deposit", "withdrawal", "transfer"]),
    cause: text,
    reference: text,
    atMs: text,
  }),
});

export const countStrays = defineQuery({
  name: "count-strays",
  source: countStraysSource,
  params: ["lastTradeId"],
  row: z.object({ postings: z.int(), trades: z.int(), entries: z.int() }),
});

export const listParked = defineQuery({
  name: "list-parked",
  source: listParkedSource,
  params: [],
  row: z.object({ sequence: wholeNumber, reason: text }),
});

export const readEntryHash = defineQuery({
  name: "read-entry-hash",
  source: readEntryHashSource,
  params: ["sequence"],
  row: z.object({ hash: text }),
});

export const listWalks = defineQuery({
  name: "list-walks",
  source: listWalksSource,
  params: [],
  row: z.object({
    walk: z.enum(["verified", "again"]),
    sequence: wholeNumber,
    hash: text,
    lastTradeId: wholeNumber,
    trades: wholeNumber,
    postings: wholeNumber,
  }),
});

export const putWalk = defineQuery({
  name: "put-walk",
  source: putWalkSource,
  params: ["walk", "sequence", "hash", "lastTradeId", "trades", "postings", "mayGoBack"],
  row: z.object({ walk: text }),
});

export const listTotals = defineQuery({
  name: "list-totals",
  source: listTotalsSource,
  params: ["afterAccount", "afterCurrency", "limit"],
  row: z.object({ account: text, currency: text, steps }),
});

export const upsertTotals = defineQuery({
  name: "upsert-totals",
  source: upsertTotalsSource,
  params: ["accounts", "currencies", "steps"],
  row: z.unknown(),
});
