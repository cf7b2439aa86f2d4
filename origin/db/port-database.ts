import type { MessagePort } from "node:worker_threads";
import { createBoundedCalls } from "./bounded-calls.ts";
import {
  type Database,
  DatabaseUnavailable,
  QUERY_MS_MAX,
  type SqlValue,
  TRANSACTION_MS_MAX,
  type Transaction,
} from "./database.ts";
import { mapErrors, within } from "./database-errors.ts";
import type { PortAnswer, PortCall, PortFault } from "./port-messages.ts";
import { withTextArray } from "./text-array.ts";

type Waiting = { readonly resolve: (rows: readonly unknown[]) => void; readonly reject: (error: Error) => void };
type Statement = Extract<PortCall, { readonly id: number }>;
/** Each kind of call without its id. */
type Numberless<Call> = Call extends Statement ? Omit<Call, "id"> : never;

/**
 * A client of the embedded database in any thread of the process that opened it. `database.port()` gives a port to
 * transfer to the thread, and `databaseOverPort(port)` creates the client there. Calls have the same deadlines as with
 * a server. After the database's thread has ended, every call fails with `DatabaseUnavailable` and a new port is
 * needed. An idle client does not keep its process alive.
 */
export function databaseOverPort(port: MessagePort): Database {
  const waiting = new Map<number, Waiting>();
  const bounded = createBoundedCalls();
  let lastId = 0;
  let isClosed = false;

  port.on("message", (answer: PortAnswer) => {
    const caller = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) port.unref();
    if ("fault" in answer) caller?.reject(errorOf(answer.fault));
    else caller?.resolve(answer.rows.map((row) => objectOf(answer.names, row)));
  });
  port.on("close", () => {
    isClosed = true;
    for (const { reject } of waiting.values())
      reject(new DatabaseUnavailable("the embedded database's thread has ended"));
    waiting.clear();
  });
  port.unref();

  function post(call: PortCall): void {
    port.postMessage(call);
  }

  function ask(call: Numberless<Statement>, id = ++lastId): Promise<readonly unknown[]> {
    if (isClosed) return Promise.reject(new DatabaseUnavailable("the embedded database's thread is not running"));
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      port.ref();
      post({ ...call, id } as Statement);
    });
  }

  async function query(text: string, params: readonly SqlValue[]): Promise<readonly unknown[]> {
    const id = ++lastId;
    try {
      return await bounded(QUERY_MS_MAX, () => ask({ op: "query", text, params: params.map(withTextArray) }, id));
    } catch (error) {
      // The caller was told that the query failed, so it must not run later.
      if (error instanceof DatabaseUnavailable) post({ op: "cancel", id });
      throw error;
    }
  }

  /**
   * The limit covers the wait, the statements and the work between them. A commit that was sent has its own deadline.
   */
  async function transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    limitMs = TRANSACTION_MS_MAX,
  ): Promise<Result> {
    const tx = ++lastId;
    let isOver = false;
    const inside = (call: Numberless<Statement>) =>
      isOver
        ? Promise.reject(new DatabaseUnavailable("the transaction was already reported as failed"))
        : mapErrors(() => ask(call));
    const statements: Transaction = {
      query: (text, params) => inside({ op: "query", tx, text, params: params.map(withTextArray) }),
      script: async (text) => void (await inside({ op: "script", tx, text })),
    };
    try {
      const result = await bounded(limitMs, async () => {
        await ask({ op: "begin", limitMs }, tx);
        return work(statements);
      });
      isOver = true;
      await within(QUERY_MS_MAX, ask({ op: "commit", tx }));
      return result;
    } catch (error) {
      isOver = true;
      post({ op: "rollback", tx });
      throw error;
    }
  }

  return {
    query: (text, params) => mapErrors(() => query(text, params)),
    transaction: (work, limitMs) => mapErrors(() => transaction(work, limitMs)),
    ping: async () => void (await query("SELECT 1", [])),
    close: async () => port.close(),
  };
}

function objectOf(names: readonly string[], row: readonly unknown[]): unknown {
  const object: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index++) object[names[index] as string] = row[index];
  return object;
}

function errorOf({ message, isUnavailable, ...facts }: PortFault): Error {
  return isUnavailable === true ? new DatabaseUnavailable(message) : Object.assign(new Error(message), facts);
}
