import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "../../db/database.ts";
import type { OrderRow } from "../../engine/changes.ts";
import { isOpenStatus } from "../../state/order-writes.ts";
import { tryConsumerLock } from "../ledger/ledger-queries.ts";
import { deleteOrders, insertArchive, listOldestOrders } from "./archive-queries.ts";
import type { OrderArchive } from "./order-archive.ts";

type Archiving = {
  readonly database: Database;
  readonly archive: OrderArchive;
  readonly beforeMs: number;
  readonly ordersMax?: number;
  readonly isStopping?: () => boolean;
};

/** A file of a few hundred kilobytes, and some ten milliseconds of PostgreSQL's time. */
const ORDERS_MAX = 5_000;

/**
 * Moves all orders that ended before a time into archive files, page by page, until none is left: the archive is faster
 * than orders can be placed. Between two pages PostgreSQL serves other calls. Returns the number of orders moved.
 */
export async function archiveOrders({
  ordersMax = ORDERS_MAX,
  isStopping = () => false,
  ...parts
}: Archiving): Promise<number> {
  const { database, beforeMs } = parts;
  let moved = 0;
  let after = 0;
  while (!isStopping()) {
    const page = await listOldestOrders.all(database, { after: String(after), limit: ordersMax });
    // Ids rise with the creation time: after the first order that is too young, all are.
    const old = page.filter(({ createdAt }) => createdAt < beforeMs);
    const due = old.filter(({ status, updatedAt }) => !isOpenStatus(status) && updatedAt < beforeMs);
    for (const orders of byDay(due)) {
      if (!(await moveOrders(orders, parts))) return moved;
      moved += orders.length;
    }
    after = old.at(-1)?.id ?? after;
    if (old.length < ordersMax) break;
    await nextTurn();
  }
  return moved;
}

/** Files of one day overlap with few others by id, so an order is found in the first or second file. */
function byDay(orders: readonly OrderRow[]): readonly (readonly OrderRow[])[] {
  return [...Map.groupBy(orders, ({ createdAt }) => dayOf(createdAt)).values()];
}

/**
 * Writes the file first, then its row and the deletion in one transaction. A crash in between leaves an unreferenced
 * file, and the next run archives the same orders again. False if another process is archiving.
 */
async function moveOrders(
  orders: readonly OrderRow[],
  { database, archive }: Pick<Archiving, "database" | "archive">,
): Promise<boolean> {
  const ids = orders.map(({ id }) => id);
  const [firstId = 0, lastId = 0] = [ids[0], ids.at(-1)];
  const day = dayOf(orders[0]?.createdAt ?? 0);
  const path = `orders/${day.slice(0, 4)}/${day}.${firstId}-${lastId}.jsonl.gz`;
  const { sha256 } = await archive.write(path, orders);
  return database.transaction(async (tx) => {
    if (!(await tryConsumerLock.first(tx, { consumer: "archive" }))?.taken) return false;
    const deleted = await deleteOrders.all(tx, { ids: ids.map(String) });
    if (deleted.length !== ids.length) throw new Error("another process is archiving the same orders");
    await insertArchive.all(tx, {
      path,
      firstId: String(firstId),
      lastId: String(lastId),
      orders: orders.length,
      sha256,
    });
    return true;
  });
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
