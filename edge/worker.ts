import { createApp } from "./app.ts";
import { type EdgeBindings, edgeConfiguration } from "./env.ts";
import { gateOfIsolate } from "./gate/open-gate.ts";
import { sweepQueues } from "./gate/sweep-queues.ts";
import { log } from "./log.ts";
import type { Platform } from "./platform.ts";
import { openStore } from "./store/upstash.ts";

const platform: Platform = { openStore, later: (c, work) => c.executionCtx.waitUntil(work) };
const app = createApp(platform);

/** The cron of the platform: lines move on also where nobody polls any more. */
async function scheduled(_event: unknown, bindings: EdgeBindings): Promise<void> {
  const configuration = edgeConfiguration(bindings);
  const gate = configuration.ok ? await gateOfIsolate(configuration.value, openStore) : configuration;
  if (gate.ok) await sweepQueues(gate.value);
  else log("error", "the edge is not configured", { faults: gate.reason });
}

export default { fetch: app.fetch, scheduled };
