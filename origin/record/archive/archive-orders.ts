import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database, Queries } from "../../db/database.ts";
import { isOpenStatus } from "../../state/order-writes.ts";
import { tryConsumerLock } from "../ledger/ledger-queries.ts";
import { deleteLists, deleteOrders, insertArchive, listOldestLists, listOldestOrders } from "./archive-queries.ts";
import type { OrderArchive, RowArchive } from "./order-archive.ts";

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
 * Moves all orders and order lists that ended before a time into archive files, page by page, until none is left: the
 * archive is faster than orders can be placed. Between two pages PostgreSQL serves other calls. Returns the number of
 * orders moved.
 */
export async function archiveOrders({
  ordersMax = ORDERS_MAX,
  isStopping = () => false,
  ...parts
}: Archiving): Promise<number> {
  const { archive } = parts;
  const bounds = { ...parts, pageMax: ordersMax, isStopping };
  const moved = await archiveRows({
    ...bounds,
    contents: "orders",
    list: listOldestOrders.all,
    hasEnded: ({ status }) => !isOpenStatus(status),
    archive,
    remove: deleteOrders.all,
  });
  await archiveRows({
    ...bounds,
    contents: "lists",
    list: listOldestLists.all,
    hasEnded: ({ status }) => status === "done",
    archive: archive.lists,
    remove: deleteLists.all,
  });
  return moved;
}

type Dated = { readonly id: number; readonly createdAt: number; readonly updatedAt: number };

type Moving<Row extends Dated> = Pick<Archiving, "database" | "beforeMs"> & {
  readonly contents: "orders" | "lists";
  /** By id, which is the order of their creation. */
  readonly list: (db: Queries, page: { readonly after: string; readonly limit: number }) => Promise<readonly Row[]>;
  readonly hasEnded: (row: Row) => boolean;
  readonly archive: RowArchive<Row>;
  /** Returns a row for each one that was deleted. */
  readonly remove: (db: Queries, which: { readonly ids: readonly string[] }) => Promise<readonly unknown[]>;
  readonly pageMax: number;
  readonly isStopping: () => boolean;
};

async function archiveRows<Row extends Dated>(moving: Moving<Row>): Promise<number> {
  const { database, beforeMs, list, hasEnded, pageMax, isStopping } = moving;
  let moved = 0;
  let after = 0;
  while (!isStopping()) {
    const page = await list(database, { after: String(after), limit: pageMax });
    // Ids rise with the creation time: after the first row that is too young, all are.
    const old = page.filter(({ createdAt }) => createdAt < beforeMs);
    const due = old.filter((row) => hasEnded(row) && row.updatedAt < beforeMs);
    for (const rows of byDay(due)) {
      if (!(await moveRows(rows, moving))) return moved;
      moved += rows.length;
    }
    after = old.at(-1)?.id ?? after;
    if (old.length < pageMax) break;
    await nextTurn();
  }
  return moved;
}

/** Files of one day overlap with few others by id, so an order is found in the first or second file. */
function byDay<Row extends Dated>(rows: readonly Row[]): readonly (readonly Row[])[] {
  return [...Map.groupBy(rows, ({ createdAt }) => dayOf(createdAt)).values()];
}

/**
 * Writes the file first, then its row and the deletion in one transaction. A crash in between leaves an unreferenced
 * file, and the next run archives the same rows again. False if another process is archiving.
 */
async function moveRows<Row extends Dated>(
  rows: readonly Row[],
  { database, archive, contents, remove }: Moving<Row>,
): Promise<boolean> {
  const ids = rows.map(({ id }) => id);
  const [firstId = 0, lastId = 0] = [ids[0], ids.at(-1)];
  const day = dayOf(rows[0]?.createdAt ?? 0);
  const path = `${contents}/${day.slice(0, 4)}/${day}.${firstId}-${lastId}.jsonl.gz`;
  const { sha256 } = await archive.write(path, rows);
  return database.transaction(async (tx) => {
    if (!(await tryConsumerLock.first(tx, { consumer: "archive" }))?.taken) return false;
    const deleted = await remove(tx, { ids: ids.map(String) });
    if (deleted.length !== ids.length) throw new Error(`another process is archiving the same ${contents}`);
    await insertArchive.all(tx, {
      path,
      firstId: String(firstId),
      lastId: String(lastId),
      orders: rows.length,
      sha256,
      contents,
    });
    return true;
  });
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
