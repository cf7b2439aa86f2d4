import { resolve } from "node:path";
import { createLogger } from "../../origin/log.ts";
import { stopOnSignal } from "../../origin/stop-on-signal.ts";
import { startCluster } from "./start-cluster.ts";

/** `npm run cluster -- FOLDER`: six nodes on this machine until Ctrl-C, to try the gate on a Redis Cluster. */
const log = createLogger("cluster");
const [folder = ".sluice/cluster"] = process.argv.slice(2);

const cluster = await startCluster({ folder: resolve(folder) });
stopOnSignal(log, [{ name: "nodes", stop: cluster.stop }]);
log.info("three masters and three replicas are up; tell an edge on Node or a bridge of them:");
process.stdout.write(`REDIS_URL=${cluster.urls.join(",")} SLUICE_REDIS_CLUSTER=1 SLUICE_BRIDGE_CLUSTER=1\n`);
