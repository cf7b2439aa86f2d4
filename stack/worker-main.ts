import { join } from "node:path";
import { createLogger } from "./program/log.ts";
import { stopOnSignal } from "./program/stop-on-signal.ts";
import { describeExit } from "./servers/child.ts";
import { startEdgeServer, storeOutbound } from "./servers/edge-server.ts";
import { parseWorkerEnvironment } from "./worker-environment.ts";

/** The edge in workerd as its own process, without the rest of the stack: on a machine or in a container for edges. */
const log = createLogger("edge");

const environment = parseWorkerEnvironment(process.env);
if (!environment.ok) {
  for (const fault of environment.reason) log.fatal(fault);
  process.exit(1);
}
const { folder, storeUrl, ...settings } = environment.value;

const edge = await startEdgeServer({ ...settings, ...storeOutbound(storeUrl), folder: join(folder, "edge") });
log.info({ port: edge.port }, "edge listens");

let isAskedToStop = false;
stopOnSignal(log, [
  {
    name: "workerd",
    stop: async () => {
      isAskedToStop = true;
      await edge.stop();
    },
  },
]);

const exit = await edge.child.exited;
if (!isAskedToStop) {
  log.fatal(describeExit("workerd", exit));
  process.exit(1);
}
