import type { Context } from "hono";
import { problemResponse } from "../../shared/errors.ts";
import { parseQueueId, type QueueId } from "../../shared/queue-id.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { EdgeEnvironment } from "../env.ts";
import type { Later } from "../gate/later.ts";
import { backgroundLineOf, type Gate, type GuardedQueue, gateOfIsolate, guardedQueue } from "../gate/open-gate.ts";
import { type HeldPass, presentedPass } from "../gate/presented.ts";
import { log } from "../log.ts";
import type { Platform } from "../platform.ts";
import type { Visit } from "../proxy/read-visit.ts";
import type { QueueRecord } from "../queue/registry.ts";
import { refusalResponse } from "./refusal.ts";
import { isKnownAsRevoked } from "./unknown-queue.ts";

type Found = { readonly queue: GuardedQueue; readonly record: QueueRecord };

/** A valid pass where nothing is known of its queue. */
export type PassAlone = { readonly visit: Visit; readonly gate: Gate; readonly held: HeldPass };

/** The queue that `/_sluice/queues/{id}` names, or the answer that there is none. `atUnknown` answers whoever holds a pass where it is not known. */
export async function queueOfRoute(
  c: Context<EdgeEnvironment>,
  platform: Platform,
  atUnknown?: (alone: PassAlone) => Response,
): Promise<Result<Found, Response>> {
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
  const record = await gate.value.directory.queue(queueId.value, later, store.remainingMs());
  if (record === "missing") return fail(problemResponse("queue_not_found", { requestId }));
  if (record === "unknown") {
    const held = atUnknown && (await passAlone(c.var.visit, { gate: gate.value, queueId: queueId.value, later }));
    if (atUnknown !== undefined && held !== undefined) return fail(atUnknown({ visit: c.var.visit, gate: gate.value, held }));
    return fail(refusalResponse({ code: "store_unavailable", wants: "json", visit: c.var.visit }));
  }
  const queue = guardedQueue(gate.value, { queueId: queueId.value, record, store, later });
  if (!gate.value.clock.isHeard()) await queue.revocations.prepare(later, store.remainingMs());
  queue.sweeps.owed(() => backgroundLineOf(queue), later);
  return ok({ queue, record });
}

type Asked = { readonly gate: Gate; readonly queueId: QueueId; readonly later: Later };

async function passAlone(visit: Visit, { gate, queueId, later }: Asked): Promise<HeldPass | undefined> {
  const pass = await presentedPass(visit, { tokens: gate.tokens, queueId, nowMs: gate.clock.nowMs() });
  if (pass.state !== "valid" || (await isKnownAsRevoked({ gate, later }, pass.held.pass))) return undefined;
  return pass.held;
}
