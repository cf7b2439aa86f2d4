import { assert } from "../../shared/assert.ts";
import { isSocket } from "../proxy/forwarding.ts";
import type { Platform } from "../proxy/platform.ts";
import type { EdgeBindings, EdgeConfiguration } from "../request/env.ts";
import { log } from "../request/log.ts";
import { edgeConfiguration } from "../request/read-visit.ts";
import { parseNodeEdgeEnvironment } from "./environment.ts";
import { createForward, SwitchedResponse } from "./forward.ts";
import { type EdgeApp, logLate, startHttpServer } from "./http-server.ts";
import { openIoredisStore } from "./ioredis-store.ts";
import { createOriginAgents } from "./origin-agents.ts";
import { createTokenWriter } from "./write-token.ts";

type EdgeProcess = {
  readonly createApp: (platform: Platform) => EdgeApp;
  /** The worker's cron job. */
  readonly sweep?: (configuration: EdgeConfiguration) => Promise<void>;
};

/** As often as a worker's cron: polls keep a line moving, this is for a line without polls. */
const SWEEP_EVERY_MS = 60_000;

/**
 * The edge as a Node process, stage by stage. It also starts and runs when the store is unavailable: each queue has its
 * own setting for that.
 */
export async function runEdge({ createApp, sweep }: EdgeProcess): Promise<void> {
  // 1. Settings: every fault at once, before anything is opened.
  const settings = await parseNodeEdgeEnvironment(process.env);
  if (!settings.ok) {
    for (const fault of settings.reason) log("error", fault);
    process.exit(1);
  }
  const { host, port, redis, variables } = settings.value;

  // 2. The store: a first try, so that the first visitor does not come before the connection.
  const store = redis === undefined ? undefined : openIoredisStore(redis);
  await store?.settled;
  const bindings: EdgeBindings = {
    ...variables,
    WRITE_TOKEN: createTokenWriter(variables.SLUICE_SIGNING_KEYS ?? "{}"),
    ...(store !== undefined && { STORE: store.runner }),
  };
  const configuration = edgeConfiguration(bindings);
  assert(configuration.ok && configuration.value.origin.kind === "url", "the settings were read before");

  // 3. The way to the origin, and the app on it.
  const { origin, allowsPrivateTargets } = configuration.value;
  const agents = createOriginAgents({ site: origin.site, allowsPrivateTargets });
  const app = createApp({ forward: createForward(agents), watchSocket });

  // 4. HTTP, on loopback unless told otherwise.
  const server = await startHttpServer({
    ...{ host, port, bodyMsMax: configuration.value.bodyTimeoutMs },
    app,
    bindings,
  });
  log("info", "edge listens", { port: server.port });

  // 5. Sweeps, for lines that are no longer polled.
  const { value } = configuration;
  const sweeping = sweep && setInterval(() => void sweep(value).catch(logLate), SWEEP_EVERY_MS);

  stopOnSignal(async () => {
    clearInterval(sweeping);
    await server.stop();
    agents.close();
    store?.close();
  });
}

const watchSocket: Platform["watchSocket"] = (response, watch) => {
  assert(isSocket(response) && response instanceof SwitchedResponse, "only a socket can be watched");
  response.webSocket.watchWith(watch);
  return response;
};

/** The supervisor sends SIGKILL after a while, so no timer is needed here. */
function stopOnSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  const onSignal = async () => {
    if (isStopping) return;
    isStopping = true;
    await stop();
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void onSignal());
}
