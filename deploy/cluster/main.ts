import { resolve } from "node:path";
import { complain, readArgs, runCommand } from "../../stack/program/command-line.ts";
import { createLogger } from "../../stack/program/log.ts";
import { stopOnSignal } from "../../stack/program/stop-on-signal.ts";
import { startCluster } from "./start-cluster.ts";

const USAGE = `npm run cluster -- [FOLDER]
  Six Redis nodes on this machine until Ctrl-C, to try the gate on a Redis Cluster. FOLDER (.sluice/cluster) keeps their data.
  Prints the variables that an edge on Node or a bridge needs.`;

const args = process.argv.slice(2);
process.exitCode = await runCommand({ usage: USAGE, args, run: main });

async function main(): Promise<number> {
  const read = readArgs({ args, allowPositionals: true });
  if (!read.ok) return complain(read.reason);
  const [folder = ".sluice/cluster", ...more] = read.value.positionals;
  if (more.length > 0) return complain("cluster takes one folder; --help tells how it is used.");
  const log = createLogger("cluster");
  const cluster = await startCluster({ folder: resolve(process.env["INIT_CWD"] ?? ".", folder) });
  stopOnSignal(log, [{ name: "nodes", stop: cluster.stop }]);
  log.info("three masters and three replicas are up; tell an edge on Node or a bridge of them:");
  process.stdout.write(`REDIS_URL=${cluster.urls.join(",")} SLUICE_REDIS_CLUSTER=1 SLUICE_BRIDGE_CLUSTER=1\n`);
  return 0;
}
