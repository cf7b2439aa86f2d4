import { createLogger } from "../log.ts";
import { stopOnSignal } from "../stop-on-signal.ts";
import { startBridge } from "./bridge.ts";
import { parseBridgeEnvironment } from "./environment.ts";

/** The bridge as a process of its own; what it is for and what it promises stands in `bridge.ts`. */
const log = createLogger("bridge");

const environment = parseBridgeEnvironment(process.env);
if (!environment.ok) {
  for (const fault of environment.reason) log.fatal(fault);
  process.exit(1);
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

stopOnSignal(log, [{ name: "bridge", stop: bridge.stop }]);
