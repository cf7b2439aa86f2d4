import type { Context } from "hono";
import { problemResponse } from "../../../shared/http/errors.ts";
import { parseQueueId, type QueueId } from "../../../shared/queue-id.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { tokenProblem } from "../../../shared/tokens/token-problem.ts";
import type { QueueRecord } from "../../line/registry.ts";
import type { Later } from "../../proxy/platform.ts";
import type { EdgeEnvironment } from "../../request/env.ts";
import { log } from "../../request/log.ts";
import type { Visit } from "../../request/read-visit.ts";
import { refusalResponse } from "../answers/refusal.ts";
import { createVisitorCookies } from "../answers/visitor-cookies.ts";
import type { GateFacts } from "../decide.ts";
import { backgroundLineOf, type Gate, type GuardedQueue, gateOf, guardedQueue } from "../open-gate.ts";
import {
  type HeldPass,
  type HeldTicket,
  type Presented,
  type PresentedPass,
  presentedPass,
  presentedTicket,
} from "../presented.ts";
import { isKnownAsRevoked } from "./unknown-queue.ts";

type Found = { readonly queue: GuardedQueue; readonly record: QueueRecord };

/** A valid pass where nothing is known of its queue. */
export type PassAlone = { readonly visit: Visit; readonly gate: Gate; readonly held: HeldPass };

/** A request under `/_sluice/queues/{id}`, with the text in the place of the id. */
export type OwnCall = { readonly visit: Visit; readonly later: Later; readonly queueText: string };

export function queueOfRoute(
  c: Context<EdgeEnvironment>,
  atUnknown?: (alone: PassAlone) => Response,
): Promise<Result<Found, Response>> {
  const later = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
  return queueOfCall({ visit: c.var.visit, later, queueText: c.req.param("id") ?? "" }, atUnknown);
}

/**
 * The queue that the request names, or the response that it does not exist. `atUnknown` answers the holder of a pass
 * while the queue's settings are unknown.
 */
export async function queueOfCall(
  { visit, later, queueText }: OwnCall,
  atUnknown?: (alone: PassAlone) => Response,
): Promise<Result<Found, Response>> {
  const { requestId, clientAddress } = visit;
  const queueId = parseQueueId(queueText);
  if (!queueId.ok) return fail(problemResponse("queue_not_found", { requestId }));
  const gate = await gateOf(visit);
  if (!gate.ok) return gate;
  const store = gate.value.store.forVisit();
  const record = await gate.value.directory.queue(queueId.value, later, store.remainingMs());
  if (record === "missing") return fail(problemResponse("queue_not_found", { requestId }));
  if (record === "unknown") {
    const held = atUnknown && (await passAlone(visit, { gate: gate.value, queueId: queueId.value, later }));
    if (atUnknown !== undefined && held !== undefined) return fail(atUnknown({ visit, gate: gate.value, held }));
    return fail(refusalResponse({ code: "store_unavailable", wants: "json", visit }));
  }
  const queue = guardedQueue(gate.value, { queueId: queueId.value, record, store, later, clientAddress });
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

/** The tokens of a request to our own routes. A revoked pass is kept apart: its holder gets another answer. */
export type ShownTokens = {
  readonly ticket: HeldTicket | undefined;
  readonly pass: HeldPass | undefined;
  readonly isRevoked: boolean;
  /** Of the time when the queue was open, which it may still be: good for nothing else. */
  readonly slotless: HeldPass | undefined;
};

/**
 * On our own routes an invalid token gets 401, always the same, and its cookie is cleared so that the next request can
 * start without it. A valid ticket is enough: a pass beside it may have expired.
 */
export async function shownTokens(visit: Visit, queue: GuardedQueue): Promise<Result<ShownTokens, Response>> {
  if (!visit.headers.has("cookie") && !visit.headers.has("authorization")) return NOTHING_SHOWN;
  const reading = { tokens: queue.gate.tokens, queueId: queue.queueId, nowMs: queue.gate.clock.nowMs() };
  const [ticket, pass] = await Promise.all([presentedTicket(visit, reading), presentedPass(visit, reading)]);
  const isForeign = isForeignBearer(visit, ticket, pass);
  if (isForeign || ticket.state === "invalid" || (pass.state === "invalid" && ticket.state !== "valid")) {
    return fail(refused(visit, queue, [ticket, pass]));
  }
  const held = pass.state === "valid" ? pass.held : undefined;
  const check = { mode: queue.settings.revocationCheck, later: queue.later, store: queue.store };
  const isRevoked = held !== undefined && (await queue.revocations.isRevoked(held.pass, check));
  const slotless = pass.state === "slotless" ? pass.held : undefined;
  return ok({ ticket: ticket.state === "valid" ? ticket.held : undefined, pass: held, isRevoked, slotless });
}

/** How the rules see the pass: see `GateFacts.pass`. */
export function passFact({ pass, isRevoked, slotless }: ShownTokens): GateFacts["pass"] {
  if (pass !== undefined) return isRevoked ? "revoked" : "valid";
  return slotless === undefined ? "none" : "slotless";
}

const NOTHING_SHOWN = ok({ ticket: undefined, pass: undefined, isRevoked: false, slotless: undefined });

type Shown = Presented<unknown> | PresentedPass;

/** A bearer token that is neither ticket nor pass, or no token at all. */
function isForeignBearer({ headers }: Visit, ...shown: readonly Shown[]): boolean {
  if (!/^bearer\b/i.test(headers.get("authorization") ?? "")) return false;
  return !shown.some((presented) => presented.state !== "none" && presented.by === "bearer");
}

function refused(visit: Visit, queue: GuardedQueue, shown: readonly Shown[]): Response {
  const reasons = shown.flatMap((presented) => (presented.state === "invalid" ? [presented.reason] : []));
  log("info", "a ticket or pass was refused", { requestId: visit.requestId, queueId: queue.queueId, reasons });
  const cookies = createVisitorCookies(visit, queue);
  const [ticket, pass] = shown;
  if (ticket?.state === "invalid") cookies.clear("ticket");
  if (pass?.state === "invalid") cookies.clear("pass");
  return cookies.putOn(tokenProblem("missing", { requestId: visit.requestId }));
}
