import postgres from "postgres";
import { createBoundedCalls } from "./bounded-calls.ts";
import {
  type Database,
  DatabaseUnavailable,
  QUERY_MS_MAX,
  type SqlValue,
  TRANSACTION_MS_MAX,
  type Transaction,
} from "./database.ts";
import { mapErrors } from "./database-errors.ts";
import { withTextArray } from "./text-array.ts";

const CONNECTIONS_MAX = 4;
const CONNECT_TIMEOUT_SECONDS = 5;
const CLOSE_TIMEOUT_SECONDS = 2;

/**
 * A PostgreSQL server by its URL. Throws if it does not answer now; if it becomes unavailable later, calls fail until
 * it is back.
 */
export async function openServerDatabase(url: string, connectionsMax = CONNECTIONS_MAX): Promise<Database> {
  const sql = postgres(url, { max: connectionsMax, connect_timeout: CONNECT_TIMEOUT_SECONDS, onnotice: () => {} });
  const bounded = createBoundedCalls();

  async function transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    limitMs = TRANSACTION_MS_MAX,
  ): Promise<Result> {
    let isOver = false;
    const run = async () => {
      return sql.begin(async (tx) => {
        const result = await work(transactionOf(tx));
        if (isOver) throw new DatabaseUnavailable("the transaction was already reported as failed");
        return { result };
      });
    };
    try {
      return (await mapErrors(() => bounded(limitMs, run))).result;
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
    query: (text, params) => mapErrors(() => bounded(QUERY_MS_MAX, async () => run(sql, text, params))),
    transaction,
    ping,
    close: () => sql.end({ timeout: CLOSE_TIMEOUT_SECONDS }),
  };
}

async function run(
  queries: Pick<postgres.Sql, "unsafe">,
  text: string,
  params: readonly SqlValue[],
): Promise<readonly unknown[]> {
  return queries.unsafe(text, params.map(withTextArray) as never[], { prepare: true });
}

function transactionOf(tx: postgres.TransactionSql): Transaction {
  return {
    query: (text, params) => mapErrors(() => run(tx, text, params)),
    script: async (text) => void (await tx.unsafe(text).simple()),
  };
}
