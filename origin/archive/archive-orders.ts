import type { Database } from "../db/database.ts";
import { tryConsumerLock } from "../ledger/ledger-queries.ts";
import { deleteOrders, insertArchive, listOldOrders } from "./archive-queries.ts";
import type { OrderArchive } from "./order-archive.ts";

type Archiving = { readonly database: Database; readonly archive: OrderArchive; readonly beforeMs: number; readonly ordersMax?: number };

/** One file of some hundred kilobytes. */
const ORDERS_MAX = 5_000;

/**
 * Moves some orders that ended before a time into one file of the archive: the file first, then its row and the deletion in one transaction. A crash
 * in between leaves a file that nobody points to, and the same orders go into a file again. Answers how many were moved.
 */
export async function archiveOrders({ database, archive, beforeMs, ordersMax = ORDERS_MAX }: Archiving): Promise<number> {
  const old = await listOldOrders.all(database, { beforeMs: String(beforeMs), limit: ordersMax });
  const [first] = old;
  if (first === undefined) return 0;
  // Files of one day overlap with few others by their ids, so that an order is found in the first or second one.
  const day = dayOf(first.createdAt);
  const orders = old.filter(({ createdAt }) => dayOf(createdAt) === day);
  const ids = orders.map(({ id }) => id);
  const [firstId, lastId] = [first.id, ids.at(-1) ?? first.id];
  const path = `orders/${day.slice(0, 4)}/${day}.${firstId}-${lastId}.jsonl.gz`;
  const { sha256 } = await archive.write(path, orders);
  return database.transaction(async (tx) => {
    if (!(await tryConsumerLock.first(tx, { consumer: "archive" }))?.taken) return 0;
    const deleted = await deleteOrders.all(tx, { ids: ids.map(String) });
    if (deleted.length !== ids.length) throw new Error("somebody else is archiving the same orders");
    await insertArchive.all(tx, { path, firstId: String(firstId), lastId: String(lastId), orders: orders.length, sha256 });
    return orders.length;
  });
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
