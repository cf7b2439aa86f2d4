import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { Logger } from "pino";
import type { Database } from "./database.ts";
import { UPKEEP, type UpkeepRules } from "./embedded-upkeep.ts";
import { databaseOverPort } from "./port-database.ts";
import type { HostData, HostNews, HostOrder } from "./port-messages.ts";

/** Other threads of this process can be clients through a port. */
export type EmbeddedDatabase = Database & { readonly port: () => MessagePort };

type EmbeddedOptions = {
  /** Logs when the thread ends unexpectedly, when it is open again, and when upkeep fails. */
  readonly log?: Logger | undefined;
  readonly upkeep?: UpkeepRules;
};

const WORKER = new URL("./embedded-worker.ts", import.meta.url);
/** The worker needs the loader for its `.sql` files, whatever loader this thread uses. */
const LOADER = new URL("../../stack/program/lua-loader.ts", import.meta.url);
const REOPEN_MS_FIRST = 250;
const REOPEN_MS_MAX = 10_000;
/** Terminating the thread is safe: the files survive it as they survive a killed process. */
const CLOSE_MS_MAX = 2_000;

/**
 * PGlite, PostgreSQL as a library, in its own thread, one statement at a time. If the thread ends unexpectedly, calls
 * fail with `DatabaseUnavailable` and the thread is restarted with back-off until it is open, as after a server
 * restart: open transactions are rolled back, committed ones are kept.
 */
export async function openEmbeddedDatabase(
  folder: string,
  { log, upkeep = UPKEEP }: EmbeddedOptions = {},
): Promise<EmbeddedDatabase> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let host = await startHost({ folder, upkeep }, log);
  let isClosing = false;

  async function reopenWhenEnded(): Promise<void> {
    while (!isClosing) {
      const reason = await host.ended;
      if (isClosing) return;
      log?.error({ err: reason }, "the embedded database's thread has ended: calls fail until it is open again");
      await reopen();
    }
  }

  async function reopen(): Promise<void> {
    for (let pauseMs = REOPEN_MS_FIRST; !isClosing; pauseMs = Math.min(pauseMs * 2, REOPEN_MS_MAX)) {
      await sleep(pauseMs, undefined, { ref: false });
      try {
        host = await startHost({ folder, upkeep }, log);
        if (isClosing) return await host.close();
        log?.info("the embedded database is open again");
        return;
      } catch (error) {
        log?.error({ err: error, nextTryMs: pauseMs * 2 }, "the embedded database cannot be opened");
      }
    }
  }

  void reopenWhenEnded();
  return {
    query: (text, params) => host.client.query(text, params),
    transaction: (work, limitMs) => host.client.transaction(work, limitMs),
    ping: () => host.client.ping(),
    port: () => host.port(),
    close: async () => {
      isClosing = true;
      await host.close();
    },
  };
}

type Host = {
  readonly client: Database;
  readonly port: () => MessagePort;
  /** Resolves with the reason. */
  readonly ended: Promise<Error>;
  readonly close: () => Promise<void>;
};

/** Throws when the folder cannot be opened. */
async function startHost(data: HostData, log: Logger | undefined): Promise<Host> {
  const worker = new Worker(WORKER, { workerData: data, execArgv: ["--import", LOADER.href], name: "database" });
  const ended = new Promise<Error>((resolve) => {
    worker.once("error", (error) => resolve(error instanceof Error ? error : new Error(String(error))));
    worker.once("exit", (code) => resolve(new Error(`the thread exited with code ${code}`)));
  });
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  const news = await Promise.race([new Promise<HostNews>((resolve) => worker.once("message", resolve)), ended]);
  if (news instanceof Error || news.kind !== "open") {
    await worker.terminate();
    throw new Error(news.message);
  }
  worker.on("message", (later: HostNews) => {
    if (later.kind === "upkeepFailed")
      log?.warn({ reason: later.message }, "the embedded database could not be vacuumed or checkpointed");
  });
  // After adding the listener, because a listener keeps the process alive.
  worker.unref();

  const order = (what: HostOrder) => worker.postMessage(what, what.op === "serve" ? [what.port] : []);
  function port(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    order({ op: "serve", port: port2 });
    return port1;
  }

  const client = databaseOverPort(port());
  return {
    client,
    port,
    // Only after the exit may another thread open the files.
    ended: ended.then(async (error) => exited.then(() => error)),
    close: async () => {
      worker.ref();
      order({ op: "close" });
      await Promise.race([exited, sleep(CLOSE_MS_MAX, undefined, { ref: false }).then(() => worker.terminate())]);
      await client.close();
    },
  };
}
