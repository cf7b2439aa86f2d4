import type { Database } from "../db/database.ts";
import type { OrderRow } from "../engine/changes.ts";
import { listCurrencies, listGrids } from "../ledger/ledger-queries.ts";
import { createGrids } from "../projections/grids.ts";
import { type OrderHash, orderHash } from "../projections/order-fields.ts";
import { findArchives, findOrder } from "./archive-queries.ts";
import type { OrderArchive } from "./order-archive.ts";

/** An order that Redis no longer has, with the fields that it had there: from PostgreSQL, or from the archive behind it. */
export type FindOldOrder = (orderId: number) => Promise<OrderHash | undefined>;

export function createFindOldOrder(database: Database, archive: OrderArchive): FindOldOrder {
  async function find(orderId: number): Promise<OrderRow | undefined> {
    const id = String(orderId);
    const kept = await findOrder.first(database, { id });
    if (kept !== undefined) return kept;
    for (const file of await findArchives.all(database, { id })) {
      const order = (await archive.read(file)).find((row) => row.id === orderId);
      if (order !== undefined) return order;
    }
    return undefined;
  }

  return async (orderId) => {
    const order = await find(orderId);
    if (order === undefined) return undefined;
    const grids = createGrids();
    for (const { currency, scale } of await listCurrencies.all(database, {})) grids.putCurrency({ currency, scale });
    for (const grid of await listGrids.all(database, {})) grids.putPair(grid);
    return orderHash(order, grids.of(order.pair, order.grid));
  };
}
