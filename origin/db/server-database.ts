import postgres from "postgres";
import { type Database, DatabaseUnavailable, QUERY_MS_MAX, type SqlValue, TRANSACTION_MS_MAX, type Transaction } from "./database.ts";
import { inOurWords, within } from "./database-errors.ts";
import { textArray } from "./text-array.ts";

const CONNECTIONS_MAX = 4;
const CONNECT_TIMEOUT_SECONDS = 5;
const CLOSE_TIMEOUT_SECONDS = 2;
/** While the server hangs, calls pile up in the driver; beyond these they fail at once. */
const WAITING_MAX = 200;

/** A PostgreSQL server by its URL. Throws when it does not answer now; when it goes away later, calls fail until it is back. */
export async function openServerDatabase(url: string): Promise<Database> {
  const sql = postgres(url, { max: CONNECTIONS_MAX, connect_timeout: CONNECT_TIMEOUT_SECONDS, onnotice: () => {} });
  let waiting = 0;

  async function bounded<Result>(limitMs: number, work: () => Promise<Result>): Promise<Result> {
    if (waiting >= WAITING_MAX) throw new DatabaseUnavailable(`${WAITING_MAX} calls wait already`);
    waiting++;
    const running = work();
    const settled = () => void waiting--;
    running.then(settled, settled);
    return within(limitMs, running);
  }

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
