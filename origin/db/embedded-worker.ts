import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { assert } from "../../shared/assert.ts";
import { keepUp } from "./embedded-upkeep.ts";
import type { HostData, HostNews, HostOrder } from "./port-messages.ts";
import { createPortServer, type PortServer } from "./serve-port.ts";
import { yieldToTrading } from "./yield-to-trading.ts";

/**
 * A third of the main thread's share of a core when both need it. At a higher niceness the record would fall behind a
 * venue at full speed.
 */
const NICENESS = 5;

/** PostgreSQL touches all of them at the start. The kernel caches the files anyway; 128 would be the default. */
const SHARED_BUFFERS_MB = 32;

/**
 * The thread of the embedded database. PGlite is PostgreSQL as a library: a statement blocks its thread until it is
 * done, so it gets a thread of its own.
 */
assert(parentPort !== null, "this file runs in a worker thread");
const parent = parentPort;
const { folder, upkeep } = workerData as HostData;
yieldToTrading(NICENESS);
let isLooking = false;
let isClosing = false;
const tell = (news: HostNews) => parent.postMessage(news);

try {
  const pglite = await PGlite.create({ dataDir: folder, postgresqlconf: [`shared_buffers = ${SHARED_BUFFERS_MB}MB`] });
  const server = createPortServer(pglite, (error) => {
    // After the pending answers. An uncaught error ends the thread, and the parent handles it.
    setImmediate(() => {
      throw error instanceof Error ? error : new Error(`PGlite ended: ${String(error)}`);
    });
  });
  parent.on("message", (order: HostOrder) => {
    if (order.op === "serve") server.serve(order.port);
    else void close(server);
  });
  setInterval(() => void lookAfter(pglite, server), upkeep.everyMs);
  tell({ kind: "open" });
} catch (error) {
  tell({ kind: "refused", message: error instanceof Error ? error.message : String(error) });
}

async function close(server: PortServer): Promise<void> {
  isClosing = true;
  await server.close().finally(() => process.exit());
}

async function lookAfter(pglite: PGlite, { inTurn }: PortServer): Promise<void> {
  if (isLooking) return;
  isLooking = true;
  try {
    await keepUp({ pglite, rules: upkeep, inTurn });
  } catch (error) {
    if (!isClosing) tell({ kind: "upkeepFailed", message: error instanceof Error ? error.message : String(error) });
  } finally {
    isLooking = false;
  }
}
