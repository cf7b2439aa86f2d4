import type { Context } from "hono";
import { problemResponse } from "../../shared/errors.ts";
import { parseQueueId } from "../../shared/queue-id.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { EdgeEnvironment } from "../env.ts";
import { type GuardedQueue, gateOfIsolate, guardedQueue } from "../gate/open-gate.ts";
import { log } from "../log.ts";
import type { Platform } from "../platform.ts";
import type { QueueRecord } from "../queue/registry.ts";
import { refusalResponse } from "./refusal.ts";

type Found = { readonly queue: GuardedQueue; readonly record: QueueRecord };

/** The queue that `/_sluice/queues/{id}` names, or the answer that there is none. */
export async function queueOfRoute(c: Context<EdgeEnvironment>, platform: Platform): Promise<Result<Found, Response>> {
  const { requestId, configuration } = c.var.visit;
  const queueId = parseQueueId(c.req.param("id") ?? "");
  if (!queueId.ok) return fail(problemResponse("queue_not_found", { requestId }));
  const gate = await gateOfIsolate(configuration);
  if (!gate.ok) {
    log("error", "SLUICE_SIGNING_KEYS cannot be used", { requestId, faults: gate.reason });
    return fail(problemResponse("internal_error", { requestId }));
  }
  const later = (work: Promise<unknown>) => platform.later(c, work);
  const store = gate.value.store.forVisit();
  const record = await gate.value.directory.queue(queueId.value, later);
  if (record === "missing") return fail(problemResponse("queue_not_found", { requestId }));
  if (record === "unknown") return fail(refusalResponse({ code: "store_unavailable", wants: "json", visit: c.var.visit }));
  const queue = guardedQueue(gate.value, { queueId: queueId.value, record, store, later });
  if (!gate.value.clock.isHeard()) await queue.revocations.prepare(later);
  return ok({ queue, record });
}
