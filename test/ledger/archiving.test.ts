import { beforeAll, describe, expect, it } from "vitest";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import type { Database } from "../../origin/db/database.ts";
import { archiveOrders } from "../../origin/record/archive/archive-orders.ts";
import { folderArchive } from "../../origin/record/archive/folder-archive.ts";
import { orderArchive } from "../../origin/record/archive/order-archive.ts";
import { openHistory } from "../../origin/record/history/history.ts";
import { type LedgerStores, openLedgerStores, rowsOf } from "./ledger-stores.ts";

const DAY_MS = 86_400_000;
const OLD_MS = Date.UTC(2026, 0, 10, 23);
const BEFORE_MS = OLD_MS + 30 * DAY_MS;
/** More than the archive took in ten minutes when each run wrote twenty files. */
const OLD_ORDERS = 120_000;
const YOUNG_ORDERS = 10_000;
/** One in this many orders is still open, or ended only lately. */
const STAYS_EVERY = 1_000;
const PAGE = 5_000;

/** 120,000 rows take long to make in the embedded database; the archive's statements are the same. */
const DATABASES = IS_FULL_RUN ? (["embedded", "server"] as const) : (["server"] as const);

describe.each(DATABASES)("the archive beside the %s database", (kind) => {
  let stores: LedgerStores;

  beforeAll(async () => {
    stores = await openLedgerStores(kind);
    const columns =
      "id, user_id, pair, grid, side, type, time_in_force, post_only, ticks, lots, quote_amount, filled_lots, filled_value, fee_paid";
    await stores.database.transaction(async (tx) => {
      await tx.script(`
        INSERT INTO ledger_currencies (currency, scale) VALUES ('idr', 2), ('btc', 8);
        INSERT INTO ledger_grids (pair, grid, base_currency, quote_currency, tick_steps, lot_steps) VALUES ('btcidr', 1, 'btc', 'idr', 100000, 1000);
        INSERT INTO orders (${columns}, status, cancel_reason, client_order_id, created_at, updated_at)
        SELECT n, 'u' || n % 50, 'btcidr', 1, 'buy', 'limit', 'GTC', false, 10, 10, 0, 0, 0, 0,
          CASE WHEN n % ${STAYS_EVERY} = 0 THEN 'open' ELSE 'cancelled' END, CASE WHEN n % ${STAYS_EVERY} = 0 THEN '' ELSE 'user' END, '',
          CASE WHEN n <= ${OLD_ORDERS} THEN ${OLD_MS} + n * 60 ELSE ${BEFORE_MS} + n END,
          CASE WHEN n <= ${OLD_ORDERS} AND n % ${STAYS_EVERY} <> 1 THEN ${OLD_MS} + n * 60 ELSE ${BEFORE_MS} + n END
        FROM generate_series(1, ${OLD_ORDERS + YOUNG_ORDERS}) AS n`);
    }, 120_000);
  }, 180_000);

  it("archives everything that is due in one run, page by page, and leaves open and young orders", async () => {
    let transactions = 0;
    let rowsRead = 0;
    const counted: Database = {
      ...stores.database,
      query: async (...args) => {
        const rows = await stores.database.query(...args);
        rowsRead += rows.length;
        return rows;
      },
      transaction: (...args) => {
        transactions++;
        return stores.database.transaction(...args);
      },
    };
    const archive = orderArchive(folderArchive(`${stores.folder}/archive`));
    const stay = 2 * (OLD_ORDERS / STAYS_EVERY);
    expect(await archiveOrders({ database: counted, archive, beforeMs: BEFORE_MS })).toBe(OLD_ORDERS - stay);
    const [left] = await rowsOf(stores.database, "SELECT count(*)::int AS orders FROM orders");
    expect(left).toEqual({ orders: YOUNG_ORDERS + stay });
    // Each page once, plus the page where the young orders begin; a page of two days makes two files.
    const pages = OLD_ORDERS / PAGE;
    expect(rowsRead).toBeLessThanOrEqual((pages + 1) * PAGE);
    expect(transactions).toBeLessThanOrEqual(pages + 3);
    const [files] = await rowsOf(
      stores.database,
      "SELECT sum(orders)::int AS orders, max(orders)::int AS most FROM order_archives",
    );
    expect(files).toEqual({ orders: OLD_ORDERS - stay, most: expect.any(Number) });
    expect(Number(files?.["most"])).toBeLessThanOrEqual(PAGE);
    const found = await openHistory({ database: stores.database, archive }).findOrder(77_777);
    expect(found).toMatchObject({ id: "77777", user: "u27", status: "cancelled" });
    expect(await archiveOrders({ database: counted, archive, beforeMs: BEFORE_MS })).toBe(0);
  }, 120_000);
});
