import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { assert } from "../../shared/assert.ts";
import type { HostNews, HostOrder } from "./port-messages.ts";
import { createPortServer } from "./serve-port.ts";

/**
 * The thread of the embedded database: PGlite is PostgreSQL as a library, and a statement keeps its thread busy until it is done. Here it
 * keeps nobody else's. It needs no `.sql` or `.lua` file, so it runs without the loader.
 */
assert(parentPort !== null, "this file is a worker thread's");
const parent = parentPort;
const { folder } = workerData as { readonly folder: string };
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
    else void server.close().finally(() => process.exit());
  });
  tell({ kind: "open" });
} catch (error) {
  tell({ kind: "refused", message: error instanceof Error ? error.message : String(error) });
}
