import { assert } from "../../../shared/assert.ts";
import { type Database, SNAPSHOT, type Transaction } from "../../db/database.ts";
import type { BalanceRow, Changes, ListRow, OrderRow, ReferenceRow, UserRow } from "../../engine/changes.ts";
import { HOUR_MS } from "../../engine/names/references.ts";
import { faultOfNext, type JournalPosition } from "../../journal/journal.ts";
import { changesFrom } from "../../journal/journal-body.ts";
import { createLatestRows, type LatestRows } from "../../state/latest-rows.ts";
import { readOffset } from "../ledger/ledger-queries.ts";
import {
  listActiveLists,
  listAssets,
  listBodies,
  listOpenOrders,
  listPairs,
  listReferences,
  listSupplies,
  listTradingUsers,
  readVenueState,
} from "./table-queries.ts";

/** The whole state of the venue at the ledger's position: the tables, then every newer journal entry. */
export type RecordedState = {
  readonly position: JournalPosition;
  /** The position of the tables. */
  readonly tablesAt: number;
  readonly rows: LatestRows;
};

const PAGE = 2_000;
const BODY_BYTES_MAX = 16 * 1024 * 1024;
/** Reading millions of rows takes a while, and only an operator waits for it. */
const READ_MS_MAX = 30 * 60_000;

/** Reads in one snapshot, so a running ledger does not matter. Throws if the record has a gap. */
export async function readRecordedState(database: Database): Promise<RecordedState> {
  return database.transaction(async (tx) => {
    await tx.script(SNAPSHOT);
    const rows = createLatestRows();
    const tablesAt = (await readOffset.first(tx, { consumer: "sync" }))?.sequence ?? 0;
    const ledger = await readOffset.first(tx, { consumer: "ledger" });
    for await (const changes of tableRows(tx)) rows.absorb(changes);
    const position = {
      sequence: ledger?.sequence ?? 0,
      hash: ledger?.journalHash ?? "",
      command: ledger?.command ?? "",
    };
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
      if (fault !== undefined) throw new Error(`The record is inconsistent: ${fault}.`);
      rows.absorb(changesFrom(entry.body));
      last = entry;
      after = entry.sequence;
    }
    if (entries.length === 0)
      throw new Error(`The record has a gap: journal entry ${after + 1} is missing from journal_bodies.`);
  }
  if (last !== undefined && last.hash !== position.hash)
    throw new Error(`Journal and ledger differ at entry ${position.sequence}.`);
}

const nothing = {
  orders: [],
  trades: [],
  balances: [],
  movements: [],
  currencies: [],
  pairs: [],
  users: [],
  references: [],
};

async function* tableRows(tx: Transaction): AsyncGenerator<Changes> {
  const clock = await readVenueState.first(tx, {});
  assert(clock !== undefined, "venue_state has its one row");
  const empty: Changes = { ...clock, ...nothing };
  yield { ...empty, currencies: await listSupplies.all(tx, {}), pairs: await listPairs.all(tx, {}) };
  const orderPages = pages((last: OrderRow | undefined) =>
    listOpenOrders.all(tx, { after: String(last?.id ?? 0), limit: PAGE }),
  );
  for await (const orders of orderPages) yield { ...empty, orders };
  const listPages = pages((last: ListRow | undefined) =>
    listActiveLists.all(tx, { after: String(last?.id ?? 0), limit: PAGE }),
  );
  for await (const lists of listPages) yield { ...empty, lists };
  const balancePages = pages((last: BalanceRow | undefined) =>
    listAssets.all(tx, { afterUser: last?.user ?? "", afterCurrency: last?.currency ?? "", limit: PAGE }),
  );
  for await (const balances of balancePages) yield { ...empty, balances };
  const userPages = pages((last: UserRow | undefined) =>
    listTradingUsers.all(tx, { after: last?.user ?? "", limit: PAGE }),
  );
  for await (const users of userPages) yield { ...empty, users };
  const numbered = createNumbering();
  const referencePages = pages((last: Omit<ReferenceRow, "number"> | undefined) => {
    const { user = "", kind = "", reference = "" } = last ?? {};
    return listReferences.all(tx, { afterUser: user, afterKind: kind, afterReference: reference, limit: PAGE });
  });
  for await (const references of referencePages) yield { ...empty, references: references.map(numbered) };
}

/**
 * The tables keep names without their numbers: the number of the last name is the count of the user's names in that
 * hour. Rows come user by user.
 */
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

/** Each page starts after the last row of the one before. */
async function* pages<Row>(read: (last: Row | undefined) => Promise<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  let page = await read(undefined);
  while (page.length > 0) {
    yield page;
    page = page.length < PAGE ? [] : await read(page.at(-1));
  }
}
