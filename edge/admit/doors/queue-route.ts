import type { Context } from "hono";
import { forecastWait } from "../../line/estimate.ts";
import type { QueueRecord } from "../../line/registry.ts";
import { phaseAt, settingsInEvent } from "../../line/schedule.ts";
import type { EdgeEnvironment } from "../../request/env.ts";
import { backgroundLineOf, type GuardedQueue } from "../open-gate.ts";
import { queueOfRoute } from "./queue-of-route.ts";

/** `GET /_sluice/queues/{id}`: how full a queue is. Public; caches absorb a crowd. */
export async function queueRoute(c: Context<EdgeEnvironment>): Promise<Response> {
  const found = await queueOfRoute(c);
  if (!found.ok) return found.reason;
  const { queue, record } = found.value;
  // No visitor may be polling this queue any more.
  queue.sweeps.now(() => backgroundLineOf(queue), queue.later);
  return Response.json(
    { queueId: queue.queueId, ...publicFacts(record, queue) },
    { headers: { "cache-control": "public, max-age=1" } },
  );
}

const NO_WAIT = { low: 0, likely: 0, high: 0 };

function publicFacts(
  { waiting, active, admissionsPerSecond, freedPerSecond, presentShare, stillMs }: QueueRecord,
  { settings, gate }: GuardedQueue,
) {
  const { name, mode, order, prequeueOpensAt, opensAt, closesAt, maxActive } = settings;
  const nowMs = gate.clock.nowMs();
  const phase = phaseAt(settings, nowMs);
  const isFree = mode === "open" || (mode === "active" && phase === "open" && waiting === 0 && active < maxActive);
  const { admissionRate } = phase === "open" || phase === "over" ? settings : settingsInEvent(settings);
  const opensInSeconds = Math.max(0, (opensAt ?? 0) - nowMs) / 1000;
  const slots = { freeSlots: Math.max(0, maxActive - active), takenSlots: active };
  const flow = { admissionsPerSecond, freedPerSecond, presentShare, stillMs, ...slots };
  const { estimate, isStalled } = forecastWait({
    position: waiting + 1,
    total: waiting,
    flow,
    admissionRate,
    opensInSeconds,
  });
  const wait = isFree
    ? { estimatedWaitSeconds: NO_WAIT, isStalled: false }
    : { estimatedWaitSeconds: estimate, isStalled };
  return { name, mode, phase, order, prequeueOpensAt, opensAt, closesAt, waiting, active, maxActive, ...wait };
}
