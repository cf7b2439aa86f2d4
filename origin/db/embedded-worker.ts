import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { assert } from "../../shared/assert.ts";
import { keepUp } from "./embedded-upkeep.ts";
import type { HostData, HostNews, HostOrder } from "./port-messages.ts";
import { createPortServer, type PortServer } from "./serve-port.ts";

/**
 * The thread of the embedded database: PGlite is PostgreSQL as a library, and a statement keeps its thread busy until it is done. Here it
 * keeps nobody else's.
 */
assert(parentPort !== null, "this file is a worker thread's");
const parent = parentPort;
const { folder, upkeep } = workerData as HostData;
let isLooking = false;
let isClosing = false;
const tell = (news: HostNews) => parent.postMessage(news);

try {
  const pglite = await PGlite.create(folder);
  const server = createPortServer(pglite, (error) => {
    // After the answers that are on their way. An error that is not caught ends the thread and is heard by its parent.
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
