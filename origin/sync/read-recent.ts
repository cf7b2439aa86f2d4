import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import type { Database } from "../db/database.ts";
import { defineQuery } from "../db/define-query.ts";
import type { OrderRow, TradeRow } from "../engine/changes.ts";
import { stepsOf } from "../ledger/decimal.ts";
import { listCurrencies, listGrids, wholeNumber } from "../ledger/ledger-queries.ts";
import { createLedgerTerms } from "../ledger/ledger-terms.ts";
import listLatestTradesSource from "./list-latest-trades.sql";
import { listLatestOrders } from "./table-queries.ts";

/** What people look up in Redis without the engine needing it: the last orders and trades of all. Older ones are found in PostgreSQL. */
const ORDERS_MAX = 100_000;
const TRADES_MAX = 20_000;
const PAGE = 2_000;

const listLatestTrades = defineQuery({
  name: "list-latest-trades",
  source: listLatestTradesSource,
  params: ["limit"],
  row: z.object({
    id: wholeNumber,
    pair: z.string(),
    grid: z.int(),
    at: wholeNumber,
    price: z.string(),
    qty: z.string(),
    value: z.string(),
    takerSide: z.enum(["buy", "sell"]),
    buyOrderId: wholeNumber,
    sellOrderId: wholeNumber,
    buyUser: z.string(),
    sellUser: z.string(),
    buyFee: z.string(),
    sellFee: z.string(),
  }),
});

export async function recentOrders(database: Database): Promise<readonly OrderRow[]> {
  const orders: OrderRow[] = [];
  let before = Number.MAX_SAFE_INTEGER;
  while (orders.length < ORDERS_MAX) {
    const page = await listLatestOrders.all(database, { before: String(before), limit: PAGE });
    orders.push(...page);
    if (page.length < PAGE) break;
    before = page.at(-1)?.id ?? 0;
  }
  return orders.reverse();
}

/** Oldest first. */
export async function recentTrades(database: Database): Promise<readonly TradeRow[]> {
  const terms = createLedgerTerms();
  terms.learn({ currencies: await listCurrencies.all(database, {}), pairs: await listGrids.all(database, {}) });
  const rows = await listLatestTrades.all(database, { limit: TRADES_MAX });
  return rows.toReversed().map(({ price, qty, value, buyFee, sellFee, ...row }) => {
    const grid = terms.gridOf(row.pair, row.grid);
    const baseScale = terms.scaleOf(grid?.baseCurrency ?? "");
    const quoteScale = terms.scaleOf(grid?.quoteCurrency ?? "");
    assert(grid !== undefined && baseScale !== undefined && quoteScale !== undefined, "the ledger knows the grids of its trades");
    return {
      ...row,
      ticks: Number(stepsOf(price, quoteScale) / grid.tickSteps),
      lots: Number(stepsOf(qty, baseScale) / grid.lotSteps),
      value: stepsOf(value, quoteScale),
      buyFee: stepsOf(buyFee, baseScale),
      sellFee: stepsOf(sellFee, quoteScale),
    };
  });
}
