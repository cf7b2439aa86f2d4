import type { Context } from "hono";
import type { EdgeEnvironment } from "../env.ts";
import type { Platform } from "../platform.ts";
import type { QueueRecord } from "../queue/registry.ts";
import { estimateWait } from "./estimate.ts";
import { queueOfRoute } from "./queue-of-route.ts";

/** `GET /_sluice/queues/{id}`: how full a queue is, for anybody. A crowd that asks is answered by caches. */
export function queueRoute(platform: Platform) {
  return async (c: Context<EdgeEnvironment>): Promise<Response> => {
    const found = await queueOfRoute(c, platform);
    if (!found.ok) return found.reason;
    const { queue, record } = found.value;
    return Response.json({ queueId: queue.queueId, ...publicFacts(record) }, { headers: { "cache-control": "public, max-age=1" } });
  };
}

const NO_WAIT = { low: 0, likely: 0, high: 0 };

function publicFacts({ settings, waiting, active, admissionsPerSecond }: QueueRecord) {
  const { name, mode, maxActive, admissionRate } = settings;
  const isFree = mode === "open" || (mode === "active" && waiting === 0 && active < maxActive);
  const estimatedWaitSeconds = isFree ? NO_WAIT : estimateWait({ position: waiting + 1, admissionsPerSecond, admissionRate });
  return { name, mode, waiting, active, estimatedWaitSeconds };
}
