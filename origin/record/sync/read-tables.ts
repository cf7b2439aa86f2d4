import { assert } from "../../shared/assert.ts";
import { faultOfNext, type JournalPosition } from "../commit/journal.ts";
import { changesFrom } from "../commit/journal-body.ts";
import type { Database, Transaction } from "../db/database.ts";
import type { BalanceRow, Changes, OrderRow, ReferenceRow, UserRow } from "../engine/changes.ts";
import { HOUR_MS } from "../engine/references.ts";
import { readOffset } from "../ledger/ledger-queries.ts";
import { createLatestRows, type LatestRows } from "../projections/latest-rows.ts";
import {
  listAssets,
  listBodies,
  listOpenOrders,
  listPairs,
  listReferences,
  listSupplies,
  listTradingUsers,
  readVenueState,
} from "./table-queries.ts";

/** The whole state of the venue at the ledger's position: the tables, then every entry of the journal that is newer. */
export type RecordedState = {
  readonly position: JournalPosition;
  /** Where the tables alone stand. */
  readonly tablesAt: number;
  readonly rows: LatestRows;
};

const PAGE = 2_000;
const BODY_BYTES_MAX = 16 * 1024 * 1024;
/** Reading millions of rows takes a while, and nobody waits for it but an operator. */
const READ_MS_MAX = 30 * 60_000;
const SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** In one snapshot, so that a ledger that goes on meanwhile does not matter. Throws with a sentence when the record has a hole. */
export async function readRecordedState(database: Database): Promise<RecordedState> {
  return database.transaction(async (tx) => {
    await tx.script(SNAPSHOT);
    const rows = createLatestRows();
    const tablesAt = (await readOffset.first(tx, { consumer: "sync" }))?.sequence ?? 0;
    const ledger = await readOffset.first(tx, { consumer: "ledger" });
    for await (const changes of tableRows(tx)) rows.absorb(changes);
    const position = { sequence: ledger?.sequence ?? 0, hash: ledger?.journalHash ?? "", command: ledger?.command ?? "" };
    await absorbBodies(tx, rows, { from: tablesAt, position });
    return { position, tablesAt, rows };
  }, READ_MS_MAX);
}

type Stretch = { readonly from: number; readonly position: JournalPosition };

async function absorbBodies(tx: Transaction, rows: LatestRows, { from, position }: Stretch): Promise<void> {
  let last: JournalPosition | undefined;
  let after = from;
  while (after < position.sequence) {
    const entries = await listBodies.all(tx, { after: String(after), limit: PAGE, bytesMax: BODY_BYTES_MAX });
    for (const entry of entries) {
      const before: JournalPosition = last ?? { sequence: after, hash: entry.previousHash, command: "" };
      const fault = faultOfNext(before, entry);
      if (fault !== undefined) throw new Error(`The record cannot be read on: ${fault}.`);
      rows.absorb(changesFrom(entry.body));
      last = entry;
      after = entry.sequence;
    }
    if (entries.length === 0) throw new Error(`The record has a hole: entry ${after + 1} of the journal is missing from journal_bodies.`);
  }
  if (last !== undefined && last.hash !== position.hash)
    throw new Error(`Entry ${position.sequence} of the journal and of the ledger differ.`);
}

const nothing = { orders: [], trades: [], balances: [], movements: [], currencies: [], pairs: [], users: [], references: [] };

async function* tableRows(tx: Transaction): AsyncGenerator<Changes> {
  const clock = await readVenueState.first(tx, {});
  assert(clock !== undefined, "venue_state has its one row");
  const empty: Changes = { ...clock, ...nothing };
  yield { ...empty, currencies: await listSupplies.all(tx, {}), pairs: await listPairs.all(tx, {}) };
  const orderPages = pages((last: OrderRow | undefined) => listOpenOrders.all(tx, { after: String(last?.id ?? 0), limit: PAGE }));
  for await (const orders of orderPages) yield { ...empty, orders };
  const balancePages = pages((last: BalanceRow | undefined) =>
    listAssets.all(tx, { afterUser: last?.user ?? "", afterCurrency: last?.currency ?? "", limit: PAGE }),
  );
  for await (const balances of balancePages) yield { ...empty, balances };
  const userPages = pages((last: UserRow | undefined) => listTradingUsers.all(tx, { after: last?.user ?? "", limit: PAGE }));
  for await (const users of userPages) yield { ...empty, users };
  const numbered = createNumbering();
  const referencePages = pages((last: Omit<ReferenceRow, "number"> | undefined) => {
    const { user = "", kind = "", reference = "" } = last ?? {};
    return listReferences.all(tx, { afterUser: user, afterKind: kind, afterReference: reference, limit: PAGE });
  });
  for await (const references of referencePages) yield { ...empty, references: references.map(numbered) };
}

/** The tables keep names and not their numbers: how many a user has in an hour is the number of the last. Rows come user by user. */
function createNumbering(): (row: Omit<ReferenceRow, "number">) => ReferenceRow {
  let user = "";
  let numbers = new Map<number, number>();
  return (row) => {
    if (row.user !== user) numbers = new Map();
    user = row.user;
    const hour = Math.floor(row.at / HOUR_MS);
    const number = (numbers.get(hour) ?? 0) + 1;
    numbers.set(hour, number);
    return { ...row, number };
  };
}

/** Each page begins behind the last row of the one before. */
async function* pages<Row>(read: (last: Row | undefined) => Promise<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  let page = await read(undefined);
  while (page.length > 0) {
    yield page;
    page = page.length < PAGE ? [] : await read(page.at(-1));
  }
}
