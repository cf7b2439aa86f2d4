import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { ensureMonth } from "../ledger/ledger-queries.ts";
import { countPast, listSchemaVersions, listTables, setIdentities } from "./backup-queries.ts";
import type { Manifest } from "./manifest.ts";

const LOAD_MS_MAX = 4 * 3_600_000;
const PAGE = 500;
/** The column that determines the month of a row. */
const MONTH_COLUMN: Readonly<Record<string, string>> = { trade_ledger: "executed_at", postings: "posted_at" };

/** Loads all tables of a backup into an unused database, in one transaction. */
export async function loadTables(
  database: Database,
  folder: string,
  manifest: Manifest,
): Promise<Result<number, string>> {
  return database.transaction(async (tx) => {
    const past = await countPast.first(tx, {});
    if (past === undefined || past.users + past.entries > 0)
      return fail("This PostgreSQL is already in use: restore into an empty one.");
    const schema = await listSchemaVersions.all(tx, {});
    if (JSON.stringify(schema) !== JSON.stringify(manifest.schema)) {
      return fail(
        "The tables of the backup differ from those of this program: restore it with the program that made it.",
      );
    }
    const tables = inOrder(await listTables.all(tx, {}));
    // Some tables have rows from their migration on.
    for (const table of tables.toReversed()) await tx.script(`DELETE FROM ${table}`);
    let rows = 0;
    for (const table of tables) {
      const file = manifest.tables.find((of) => of.table === table);
      if (file !== undefined) rows += await loadTable(tx, table, join(folder, file.name));
    }
    await setIdentities.all(tx, {});
    return ok(rows);
  }, LOAD_MS_MAX);
}

type Table = { readonly name: string; readonly pointsTo: readonly string[] };

/** Referenced tables come first. */
function inOrder(tables: readonly Table[]): readonly string[] {
  const done: string[] = [];
  while (done.length < tables.length) {
    const next = tables.filter(
      ({ name, pointsTo }) => !done.includes(name) && pointsTo.every((target) => done.includes(target)),
    );
    if (next.length === 0) throw new Error("the foreign keys of the tables form a cycle");
    done.push(...next.map(({ name }) => name));
  }
  return done;
}

async function loadTable(tx: Transaction, table: string, path: string): Promise<number> {
  const months = new Set<string>();
  let page: string[] = [];
  let rows = 0;
  const flush = async () => {
    await ensureMonths(tx, { table, page, months });
    await tx.query(
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${table}, $1::text::json)`,
      [`[${page.join()}]`],
    );
    rows += page.length;
    page = [];
  };
  for await (const line of createInterface({ input: createReadStream(path).pipe(createGunzip()) })) {
    page.push(line);
    if (page.length >= PAGE) await flush();
  }
  if (page.length > 0) await flush();
  return rows;
}

type Page = { readonly table: string; readonly page: readonly string[]; readonly months: Set<string> };

async function ensureMonths(tx: Transaction, { table, page, months }: Page): Promise<void> {
  const column = MONTH_COLUMN[table];
  if (column === undefined) return;
  for (const line of page) {
    const at = (JSON.parse(line) as Readonly<Record<string, string>>)[column] ?? "";
    const month = `${new Date(at).toISOString().slice(0, 7)}-01`;
    if (months.has(month)) continue;
    months.add(month);
    await ensureMonth.first(tx, { month });
  }
}
