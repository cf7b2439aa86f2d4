import { mkdir } from "node:fs/promises";
import { PGlite, type Transaction as PGliteTransaction } from "@electric-sql/pglite";
import type { Database, SqlValue, Transaction } from "./database.ts";
import { inOurWords } from "./database-errors.ts";

/** PGlite: PostgreSQL as a library, in this process, one statement at a time. It cannot be away, so it needs no deadlines. */
export async function openEmbeddedDatabase(folder: string): Promise<Database> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const pglite = await PGlite.create(folder);

  return {
    query: (text, params) => inOurWords(() => run(pglite, text, params)),
    transaction: (work) => inOurWords(() => pglite.transaction((tx) => work(transactionOf(tx))) as ReturnType<typeof work>),
    ping: async () => void (await pglite.query("SELECT 1")),
    close: async () => (pglite.closed ? undefined : pglite.close()),
  };
}

async function run(queries: Pick<PGlite, "query">, text: string, params: readonly SqlValue[]): Promise<readonly unknown[]> {
  const { rows } = await queries.query(text, [...params]);
  return rows;
}

function transactionOf(tx: PGliteTransaction): Transaction {
  return {
    query: (text, params) => inOurWords(() => run(tx, text, params)),
    script: async (text) => void (await tx.exec(text)),
  };
}
