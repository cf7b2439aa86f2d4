import { assert } from "../../../shared/assert.ts";
import type { Visit } from "../../request/read-visit.ts";
import { refusalResponse } from "../answers/refusal.ts";
import { admittedResponse, isTold, turnResponse } from "../answers/visitor-answer.ts";
import { clearedLeavingCookie } from "../answers/visitor-cookies.ts";
import type { GuardedQueue } from "../open-gate.ts";
import { type HeldPass, isLeaving } from "../presented.ts";
import { noteActivity, renewedPass, slotEndMs } from "../sessions/sessions.ts";
import { settle } from "../settle.ts";
import {
  type OwnCall,
  type PassAlone,
  passFact,
  queueOfCall,
  type ShownTokens,
  shownTokens,
} from "./queue-of-route.ts";

/** `POST /_sluice/queues/{id}/heartbeat`: says that the visitor is still there, and how they stand. */
export async function heartbeatDoor(call: OwnCall): Promise<Response> {
  const { visit } = call;
  const found = await queueOfCall(call, heldAlone);
  if (!found.ok) return found.reason;
  const { queue } = found.value;
  const shown = await shownTokens(visit, queue);
  return shown.ok ? answer(visit, queue, shown.value) : shown.reason;
}

async function answer(visit: Visit, queue: GuardedQueue, shown: ShownTokens): Promise<Response> {
  const { ticket, pass } = shown;
  const facts = { ...FACTS, pass: passFact(shown), ticket: ticket === undefined ? "none" : "valid" } as const;
  const { decision, turn } = await settle(queue, facts, { held: ticket, ended: pass?.pass });
  switch (decision.kind) {
    case "inside":
      return insideAnswer(visit, queue, shown);
    case "tell":
      assert(isTold(turn), "the line was asked");
      return turnResponse({ visit, queue, turn, waitingStatus: 200 });
    case "expired":
      return turnResponse({ visit, queue, turn: { state: "ended", reason: "expired" }, waitingStatus: 200 });
    default:
      assert(decision.kind === "refuse", "a poll is answered or refused");
      return refusalResponse({ code: decision.code, wants: "json", visit, turn });
  }
}

/** A poll takes no new place, so neither a ban nor proof of work matters. */
const FACTS = { door: "heartbeat", wants: "json", asks: "visitor", ban: "none", proof: "settled" } as const;

/** For a visitor who is in already. */
export async function insideAnswer(
  visit: Visit,
  queue: GuardedQueue,
  { pass, slotless }: ShownTokens,
): Promise<Response> {
  if (pass !== undefined) return heldAnswer(visit, queue, pass);
  assert(slotless !== undefined, "only a pass leads inside");
  return heldAlone({ visit, gate: queue.gate, held: slotless });
}

/** The pass says for itself that its holder is in: nothing is known of the queue, or it is open and has no sessions. */
export function heldAlone({ visit, gate, held: { token, pass } }: PassAlone): Response {
  const { queueId, sessionId } = pass;
  return admittedResponse(visit, { gate, queueId }, { token, sessionId, expiresAtMs: slotEndMs(pass) });
}

/**
 * A visitor who is in already gets the same answer as on admission. Showing the pass here claims a new session as a
 * request does, and a session that lasts longer than its pass gets a new one: here the store is waited for, as long as
 * one call may take.
 */
async function heldAnswer(visit: Visit, queue: GuardedQueue, { token, pass }: HeldPass): Promise<Response> {
  const isBack = isLeaving(visit, queue.queueId);
  const noted = noteActivity(queue, pass, { isDue: isBack });
  const renewed = await renewedPass(queue, pass, { noted, withinMs: queue.gate.store.patience.callMs });
  const response = admittedResponse(
    visit,
    queue,
    renewed ?? { token, sessionId: pass.sessionId, expiresAtMs: slotEndMs(pass) },
  );
  if (isBack) response.headers.append("set-cookie", clearedLeavingCookie(visit, queue.queueId));
  return response;
}
