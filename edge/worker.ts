import { createApp } from "./app.ts";
import { type EdgeBindings, edgeConfiguration } from "./env.ts";
import { gateOfIsolate } from "./gate/open-gate.ts";
import { sweepQueues } from "./gate/sweep-queues.ts";
import { log } from "./log.ts";
import type { Platform } from "./platform.ts";
import { finishConnection, mayBeUnfinished } from "./proxy/finish-connection.ts";
import { forward } from "./proxy/forward.ts";
import { relaySocket } from "./proxy/relay-socket.ts";

const platform: Platform = { later: (c, work) => c.executionCtx.waitUntil(work), forward, watchSocket: relaySocket };
const app = createApp(platform);

async function fetchAndFinish(request: Request, bindings: EdgeBindings, ctx: ExecutionContext): Promise<Response> {
  const response = await app.fetch(request, bindings, ctx);
  return mayBeUnfinished(request, response) ? finishConnection(request, response, ctx) : response;
}

/** The cron of the platform: lines move on also where nobody polls any more. */
async function scheduled(_event: unknown, bindings: EdgeBindings): Promise<void> {
  const configuration = edgeConfiguration(bindings);
  const gate = configuration.ok ? await gateOfIsolate(configuration.value) : configuration;
  if (gate.ok) await sweepQueues(gate.value);
  else log("error", "the edge is not configured", { faults: gate.reason });
}

export default { fetch: fetchAndFinish, scheduled };
