import { setImmediate as nextTurn } from "node:timers/promises";
import type { MessagePort } from "node:worker_threads";
import type { PGlite, Results, Transaction } from "@electric-sql/pglite";
import { unreachable } from "../../shared/assert.ts";
import type { PortAnswer, PortCall, PortFault } from "./port-messages.ts";

/**
 * The database's side of its clients' ports. Calls run one at a time in order of arrival, from any port. A transaction
 * is one call that lasts until it is committed, rolled back, over its limit, or its client is closed. Between two calls
 * the thread reads its messages, so a call that was cancelled meanwhile does not run.
 */
export type PortServer = {
  readonly serve: (port: MessagePort) => void;
  /** Runs work of the thread itself as one call among the others. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  /** Closes after all earlier calls are done. */
  readonly close: () => Promise<void>;
};

type Rows = Pick<Results<unknown[]>, "fields" | "rows">;
type End = "rollback" | { readonly commitId: number };

type OpenTransaction = {
  /** Set from its turn to its end. */
  queries?: Transaction;
  readonly ended: Promise<End>;
  readonly end: (how: End) => void;
  hasEnded: boolean;
};

const NO_ROWS: Rows = { fields: [], rows: [] };

/** Calls `onBroken` when the database, and with it this thread, is unusable. */
export function createPortServer(pglite: PGlite, onBroken: (error: unknown) => void): PortServer {
  let last: Promise<unknown> = Promise.resolve();

  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = last.then(work);
    last = done.catch(() => {}).then(() => nextTurn());
    return done;
  }

  function serve(port: MessagePort): void {
    const waiting = new Set<number>();
    const transactions = new Map<number, OpenTransaction>();

    function reply(id: number, { fields, rows }: Rows): void {
      port.postMessage({ id, names: fields.map(({ name }) => name), rows } satisfies PortAnswer);
    }

    function replyWithFault(id: number, error: unknown): void {
      port.postMessage({ id, fault: faultOf(error) } satisfies PortAnswer);
      if (isBroken(error)) onBroken(error);
    }

    async function answer(id: number, work: () => Promise<Rows>): Promise<void> {
      try {
        reply(id, await work());
      } catch (error) {
        replyWithFault(id, error);
      }
    }

    async function answerInside(
      call: { readonly id: number; readonly tx: number },
      run: (tx: Transaction) => Promise<Rows>,
    ): Promise<void> {
      await answer(call.id, async () => {
        const queries = transactions.get(call.tx)?.queries;
        if (queries === undefined) throw new Cancelled("the transaction is over");
        return run(queries);
      });
    }

    async function query({ id, text, params }: Extract<PortCall, { readonly op: "query" }>): Promise<void> {
      await answer(id, async () => {
        if (!waiting.delete(id)) throw new Cancelled("the call was cancelled before its turn");
        return pglite.query<unknown[]>(text, [...params], { rowMode: "array" });
      });
    }

    function beginInTurn({ id, limitMs }: Extract<PortCall, { readonly op: "begin" }>): void {
      const { promise, resolve } = Promise.withResolvers<End>();
      const transaction: OpenTransaction = { ended: promise, end, hasEnded: false };
      // For a client that no longer runs; a running client rolls back by itself.
      const timer = setTimeout(() => end("rollback"), limitMs);

      function end(how: End): void {
        if (transaction.hasEnded) return;
        transaction.hasEnded = true;
        delete transaction.queries;
        clearTimeout(timer);
        transactions.delete(id);
        resolve(how);
      }

      transactions.set(id, transaction);
      void inTurn(() => transact(id, transaction));
    }

    async function transact(id: number, transaction: OpenTransaction): Promise<void> {
      let answeredTo = id;
      try {
        if (transaction.hasEnded) throw new Cancelled("the transaction was cancelled before its turn");
        await pglite.transaction(async (queries) => {
          transaction.queries = queries;
          reply(id, NO_ROWS);
          const how = await transaction.ended;
          if (how === "rollback") await queries.rollback();
          else answeredTo = how.commitId;
        });
        if (answeredTo !== id) reply(answeredTo, NO_ROWS);
      } catch (error) {
        transaction.end("rollback");
        replyWithFault(answeredTo, error);
      }
    }

    function commit({ id, tx }: Extract<PortCall, { readonly op: "commit" }>): void {
      const transaction = transactions.get(tx);
      if (transaction === undefined)
        replyWithFault(id, new Cancelled("the transaction was rolled back: it took too long"));
      else transaction.end({ commitId: id });
    }

    port.on("message", (call: PortCall) => {
      switch (call.op) {
        case "query": {
          const { tx, text, params } = call;
          if (tx !== undefined) {
            void answerInside({ ...call, tx }, (queries) =>
              queries.query<unknown[]>(text, [...params], { rowMode: "array" }),
            );
            return;
          }
          waiting.add(call.id);
          void inTurn(() => query(call));
          return;
        }
        case "script":
          return void answerInside(call, async (queries) => {
            await queries.exec(call.text);
            return NO_ROWS;
          });
        case "begin":
          return beginInTurn(call);
        case "commit":
          return commit(call);
        case "rollback":
          return transactions.get(call.tx)?.end("rollback");
        case "cancel":
          return void waiting.delete(call.id);
        default:
          return unreachable(call);
      }
    });
    port.on("close", () => {
      waiting.clear();
      for (const transaction of [...transactions.values()]) transaction.end("rollback");
    });
  }

  return {
    serve,
    inTurn,
    close: async () => {
      await last;
      await pglite.close();
    },
  };
}

/** Not a refusal by PostgreSQL: the client stopped waiting or was too slow. */
class Cancelled extends Error {
  override readonly name = "Cancelled";
}

function faultOf(error: unknown): PortFault {
  if (!(error instanceof Error))
    return { message: `the embedded database failed: ${String(error)}`, isUnavailable: true };
  const { code, constraint, detail } = error as { code?: unknown; constraint?: unknown; detail?: unknown };
  return {
    message: error.message,
    ...(typeof code === "string" && { code }),
    ...(typeof constraint === "string" && { constraint }),
    ...(typeof detail === "string" && { detail }),
    ...((error instanceof Cancelled || isBroken(error)) && { isUnavailable: true as const }),
  };
}

/**
 * PostgreSQL's own errors have a code and leave it usable. A WebAssembly trap or an exit of its only process does not.
 */
function isBroken(error: unknown): boolean {
  return !(error instanceof Error) || ["RuntimeError", "ExitStatus"].includes(error.name);
}
