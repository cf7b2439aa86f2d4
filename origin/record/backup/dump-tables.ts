import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type Database, SNAPSHOT, type Transaction } from "../../db/database.ts";
import { readOffset } from "../ledger/ledger-queries.ts";
import { listSchemaVersions, listTables } from "./backup-queries.ts";
import { digestOfFile, type Manifest } from "./manifest.ts";

type Dump = Pick<Manifest, "sequence" | "schema" | "tables">;

/** Only an operator waits for it; trading continues meanwhile. */
const DUMP_MS_MAX = 4 * 3_600_000;
const PAGE = 1_000;

/**
 * Dumps every table as gzipped lines of JSON, all in one snapshot. It needs no PostgreSQL client program and works for
 * the embedded database. Table names cannot be parameters, so the statements are built here; the names come only from
 * the catalogue.
 */
export async function dumpTables(
  database: Database,
  folder: string,
  onProgress: (progress: string) => void,
): Promise<Dump> {
  return database.transaction(async (tx) => {
    await tx.script(SNAPSHOT);
    const sequence = (await readOffset.first(tx, { consumer: "ledger" }))?.sequence ?? 0;
    const schema = [...(await listSchemaVersions.all(tx, {}))];
    const tables: Dump["tables"] = [];
    for (const { name: table } of await listTables.all(tx, {})) {
      const name = `${table}.jsonl.gz`;
      const path = join(folder, name);
      let rows = 0;
      const count = (more: number) => {
        rows += more;
        onProgress(`${table}, ${rows} rows`);
      };
      const lines = Readable.from(tableLines(tx, table, count));
      await pipeline(lines, createGzip(), createWriteStream(path, { mode: 0o600 }));
      tables.push({ name, table, rows, bytes: (await stat(path)).size, sha256: await digestOfFile(path) });
    }
    return { sequence, schema, tables };
  }, DUMP_MS_MAX);
}

async function* tableLines(tx: Transaction, table: string, count: (rows: number) => void): AsyncGenerator<string> {
  await tx.script(`DECLARE dump_${table} NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS line FROM ${table} t`);
  for (;;) {
    const page = (await tx.query(`FETCH ${PAGE} FROM dump_${table}`, [])) as readonly { readonly line: string }[];
    count(page.length);
    if (page.length > 0) yield page.map(({ line }) => `${line}\n`).join("");
    if (page.length < PAGE) break;
  }
  await tx.script(`CLOSE dump_${table}`);
}
