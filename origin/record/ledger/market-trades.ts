import { z } from "zod";
import { assert } from "../../../shared/assert.ts";
import type { Database } from "../../db/database.ts";
import { defineQuery } from "../../db/define-query.ts";
import { stepsOf } from "../../instruments/amounts.ts";
import type { Grid } from "../../instruments/grid.ts";
import type { Grids } from "../../instruments/grids.ts";
import type { LedgerReader, LedgerTrade, TradeSpan } from "../../market/ledger-reader.ts";
import countPairTradesSource from "./count-pair-trades.sql";
import { listCurrencies, listGrids, readOffset, wholeNumber } from "./ledger-queries.ts";
import listMarketTradesSource from "./list-market-trades.sql";
import readLastTradeBeforeSource from "./read-last-trade-before.sql";

const listMarketTrades = defineQuery({
  name: "list-market-trades",
  source: listMarketTradesSource,
  params: ["after", "upTo", "limit", "pair", "before"],
  row: z.object({ count: z.int(), lastId: z.string(), trades: z.string() }),
});

const readLastTradeBefore = defineQuery({
  name: "read-last-trade-before",
  source: readLastTradeBeforeSource,
  params: ["at"],
  row: z.object({ lastId: wholeNumber }),
});

const countPairTrades = defineQuery({
  name: "count-pair-trades",
  source: countPairTradesSource,
  params: ["symbol", "upTo"],
  row: z.object({ count: wholeNumber }),
});

/** Some 1.5 MB of text. */
const PAGE_MAX = 10_000;

/** In the year 9999. */
const TIME_MAX = 253_000_000_000_000;

/** The ledger as market data is rebuilt from it and compared with it. */
export function openLedgerReader(database: Database): LedgerReader {
  return {
    async position() {
      const at = await readOffset.first(database, { consumer: "ledger" });
      return { sequence: at?.sequence ?? 0, hash: at?.journalHash ?? "", command: at?.command ?? "" };
    },
    terms: async () => ({
      currencies: await listCurrencies.all(database, {}),
      pairs: await listGrids.all(database, {}),
    }),
    lastTradeBefore: async (at) => (await readLastTradeBefore.first(database, { at: String(at) }))?.lastId ?? 0,
    countTrades: async (pair, upTo) =>
      (await countPairTrades.first(database, { symbol: pair, upTo: String(upTo) }))?.count ?? 0,
    trades: (grids, span) => readTrades(database, grids, span),
  };
}

async function* readTrades(
  database: Database,
  grids: Grids,
  { after = 0, upTo, pair = "", before = TIME_MAX }: TradeSpan,
): AsyncGenerator<readonly LedgerTrade[]> {
  let last = String(after);
  for (;;) {
    const span = { after: last, upTo: String(upTo), limit: PAGE_MAX, pair, before: String(before) };
    const page = await listMarketTrades.first(database, span);
    if (page === undefined || page.count === 0) return;
    yield page.trades.split("\x1e").map((text) => tradeFrom(text, grids));
    if (page.count < PAGE_MAX) return;
    last = page.lastId;
  }
}

const FIELDS = 15;

function tradeFrom(text: string, grids: Grids): LedgerTrade {
  const fields = text.split("\x1f");
  assert(fields.length === FIELDS, "a trade of the ledger is complete");
  const pair = fields[1] as string;
  const grid = grids.of(pair, Number(fields[2]));
  return {
    id: Number(fields[0]),
    pair,
    grid: grid.grid,
    at: Number(fields[3]),
    ticks: countOf(fields[4] as string, grid, "price"),
    lots: countOf(fields[5] as string, grid, "quantity"),
    value: exactSteps(fields[6] as string, grid.quoteScale),
    takerSide: fields[7] as "buy" | "sell",
    buyOrderId: Number(fields[8]),
    sellOrderId: Number(fields[9]),
    buyUser: fields[10] as string,
    sellUser: fields[11] as string,
    buyFee: exactSteps(fields[12] as string, grid.baseScale),
    sellFee: exactSteps(fields[13] as string, grid.quoteScale),
    sequence: Number(fields[14]),
  };
}

/** Ticks of a price, lots of a quantity. */
function countOf(text: string, grid: Grid, kind: "price" | "quantity"): number {
  const isPrice = kind === "price";
  const steps = exactSteps(text, isPrice ? grid.quoteScale : grid.baseScale);
  return Number(steps / (isPrice ? grid.tickSteps : grid.lotSteps));
}

/** The ledger writes all decimals of a currency, so the digits are the steps. */
function exactSteps(text: string, scale: number): bigint {
  if (scale === 0) return BigInt(text);
  return text.length > scale && text.at(-scale - 1) === "."
    ? BigInt(text.slice(0, -scale - 1) + text.slice(-scale))
    : stepsOf(text, scale);
}
