import type { Database } from "../../db/database.ts";
import { defineQuery } from "../../db/define-query.ts";
import type { OrderRow, TradeRow } from "../../engine/changes.ts";
import { createGrids } from "../../instruments/grids.ts";
import { listCurrencies, listGrids } from "../ledger/ledger-queries.ts";
import { ledgerTradeSchema, tradeRow } from "../ledger/ledger-trades.ts";
import listLatestTradesSource from "./list-latest-trades.sql";
import { listLatestOrders } from "./table-queries.ts";

/**
 * Recent orders and trades, which clients read from Redis and the engine does not need. Older ones are read from
 * PostgreSQL.
 */
const ORDERS_MAX = 20_000;
const TRADES_MAX = 20_000;
const PAGE = 2_000;

const listLatestTrades = defineQuery({
  name: "list-latest-trades",
  source: listLatestTradesSource,
  params: ["limit"],
  row: ledgerTradeSchema,
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
  const grids = createGrids();
  grids.learn({ currencies: await listCurrencies.all(database, {}), pairs: await listGrids.all(database, {}) });
  const rows = await listLatestTrades.all(database, { limit: TRADES_MAX });
  return rows.toReversed().map((row) => tradeRow(row, grids));
}
