import postgres from "postgres";
import { createBoundedCalls } from "./bounded-calls.ts";
import { type Database, DatabaseUnavailable, QUERY_MS_MAX, type SqlValue, TRANSACTION_MS_MAX, type Transaction } from "./database.ts";
import { inOurWords } from "./database-errors.ts";
import { textArray } from "./text-array.ts";

const CONNECTIONS_MAX = 4;
const CONNECT_TIMEOUT_SECONDS = 5;
const CLOSE_TIMEOUT_SECONDS = 2;

/** A PostgreSQL server by its URL. Throws when it does not answer now; when it goes away later, calls fail until it is back. */
export async function openServerDatabase(url: string, connectionsMax = CONNECTIONS_MAX): Promise<Database> {
  const sql = postgres(url, { max: connectionsMax, connect_timeout: CONNECT_TIMEOUT_SECONDS, onnotice: () => {} });
  const bounded = createBoundedCalls();

  async function transaction<Result>(work: (tx: Transaction) => Promise<Result>, limitMs = TRANSACTION_MS_MAX): Promise<Result> {
    let isOver = false;
    const run = async () => {
      return sql.begin(async (tx) => {
        const result = await work(transactionOf(tx));
        if (isOver) throw new DatabaseUnavailable("the caller has been told that it failed");
        return { result };
      });
    };
    try {
      return (await inOurWords(() => bounded(limitMs, run))).result;
    } finally {
      isOver = true;
    }
  }

  const ping = async () => void (await sql`SELECT 1`);
  try {
    await ping();
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  }
  return {
    query: (text, params) => inOurWords(() => bounded(QUERY_MS_MAX, async () => run(sql, text, params))),
    transaction,
    ping,
    close: () => sql.end({ timeout: CLOSE_TIMEOUT_SECONDS }),
  };
}

async function run(queries: Pick<postgres.Sql, "unsafe">, text: string, params: readonly SqlValue[]): Promise<readonly unknown[]> {
  const sent = params.map((param) => (isList(param) ? textArray(param) : param));
  return queries.unsafe(text, sent as never[], { prepare: true });
}

function transactionOf(tx: postgres.TransactionSql): Transaction {
  return {
    query: (text, params) => inOurWords(() => run(tx, text, params)),
    script: async (text) => void (await tx.unsafe(text).simple()),
  };
}

const isList = (param: SqlValue): param is readonly string[] => Array.isArray(param);
