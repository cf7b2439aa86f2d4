import { complain, readArgs, runCommand } from "../stack/program/command-line.ts";
import { createLogger } from "../stack/program/log.ts";
import { releaseMemory } from "../stack/program/release-memory.ts";
import { stopOnSignal } from "../stack/program/stop-on-signal.ts";
import { startBridge } from "./bridge.ts";
import { parseBridgeEnvironment } from "./environment.ts";

/** The bridge as its own process; `bridge.ts` says what it is for and what it promises. */
const USAGE = `npm run bridge
  Runs only the REST bridge: any Redis for @upstash/redis, until Ctrl-C. Settings are variables:

  REDIS_URL                        the Redis; several nodes of a cluster, separated by commas
  SLUICE_BRIDGE_TOKEN              the bearer token, 16 characters or more  SLUICE_BRIDGE_READ_ONLY_TOKEN    a second token that allows reads only
  SLUICE_HOST, SLUICE_BRIDGE_PORT  where it listens (127.0.0.1, 8789)
  SLUICE_BRIDGE_ALLOW, SLUICE_BRIDGE_TIMEOUT_MS, SLUICE_BRIDGE_CLUSTER, SLUICE_BRIDGE_REPLICAS: see docs/operations.md`;

const args = process.argv.slice(2);
process.exitCode = await runCommand({ usage: USAGE, args, run: main });

async function main(): Promise<number> {
  const read = readArgs({ args });
  if (!read.ok) return complain(read.reason);
  const log = createLogger("bridge");
  const environment = parseBridgeEnvironment(process.env);
  if (!environment.ok) {
    for (const fault of environment.reason) log.fatal(fault);
    return 1;
  }
  const settings = environment.value;
  const [firstUrl = "", ...otherUrls] = settings.REDIS_URL;
  const bridge = await startBridge({
    redisUrls: [firstUrl, ...otherUrls],
    isCluster: settings.SLUICE_BRIDGE_CLUSTER,
    replicas: settings.SLUICE_BRIDGE_REPLICAS,
    host: settings.SLUICE_HOST,
    port: settings.SLUICE_BRIDGE_PORT,
    token: settings.SLUICE_BRIDGE_TOKEN,
    readOnlyToken: settings.SLUICE_BRIDGE_READ_ONLY_TOKEN,
    allow: settings.SLUICE_BRIDGE_ALLOW,
    requestTimeoutMs: settings.SLUICE_BRIDGE_TIMEOUT_MS,
    log,
  });
  log.info({ port: bridge.port }, "bridge listens");
  releaseMemory();
  stopOnSignal(log, [{ name: "bridge", stop: bridge.stop }]);
  return 0;
}
