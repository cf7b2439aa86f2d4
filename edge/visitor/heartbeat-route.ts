import type { Context } from "hono";
import { tokenProblem } from "../../shared/token-problem.ts";
import type { EdgeEnvironment } from "../env.ts";
import { noteActivity, renewedPass } from "../gate/activity.ts";
import { askEnding } from "../gate/ending.ts";
import { slotEndMs } from "../gate/issue.ts";
import type { GuardedQueue } from "../gate/open-gate.ts";
import type { HeldPass } from "../gate/presented.ts";
import { beat } from "../gate/turn.ts";
import { walkIn } from "../gate/walk-in.ts";
import type { Platform } from "../platform.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { clearedLeavingCookie, isLeaving } from "./leaving-cookie.ts";
import { type PassAlone, queueOfRoute } from "./queue-of-route.ts";
import { type ShownTokens, shownTokens } from "./shown-tokens.ts";
import { admittedResponse, turnResponse } from "./turn-response.ts";

/** `POST /_sluice/queues/{id}/heartbeat`: says that the visitor is still there, and how they stand. */
export function heartbeatRoute(platform: Platform) {
  return async (c: Context<EdgeEnvironment>): Promise<Response> => {
    const { visit } = c.var;
    const found = await queueOfRoute(c, platform, heldAlone);
    if (!found.ok) return found.reason;
    const { queue } = found.value;
    const shown = await shownTokens(visit, queue);
    if (!shown.ok) return shown.reason;
    return (await insideAnswer(visit, queue, shown.value)) ?? beatAnswer(visit, queue, shown.value);
  };
}

async function beatAnswer(visit: Visit, queue: GuardedQueue, { ticket, pass, slotless }: ShownTokens): Promise<Response> {
  if (ticket !== undefined) {
    // The line stands still while everybody may walk past it, so that it would never call anybody.
    const isOpen = queue.settings.mode === "open";
    const turn = isOpen ? await walkIn(queue) : await beat(queue, ticket, visit.headers.get("x-forwarded-for") ?? undefined);
    return turnResponse({ visit, queue, turn, waitingStatus: 200 });
  }
  if (pass !== undefined) {
    const { sessionId, jti } = pass.pass;
    return turnResponse({ visit, queue, turn: await askEnding(queue, { sessionId, jti }), waitingStatus: 200 });
  }
  if (slotless !== undefined) return turnResponse({ visit, queue, turn: { state: "ended", reason: "expired" }, waitingStatus: 200 });
  return tokenProblem("missing", { requestId: visit.requestId });
}

/** For a visitor who is in already; undefined for anybody else. */
export async function insideAnswer(
  visit: Visit,
  queue: GuardedQueue,
  { pass, isRevoked, slotless }: ShownTokens,
): Promise<Response | undefined> {
  if (pass !== undefined && !isRevoked) return heldAnswer(visit, queue, pass);
  const isOpen = queue.settings.mode === "open";
  return slotless !== undefined && isOpen ? heldAlone({ visit, gate: queue.gate, held: slotless }) : undefined;
}

/** The pass says for itself that its holder is in: nothing is known of the queue, or it is open and has no sessions. */
export function heldAlone({ visit, gate, held: { token, pass } }: PassAlone): Response {
  const { queueId, sessionId } = pass;
  return admittedResponse(visit, { gate, queueId }, { token, sessionId, expiresAtMs: slotEndMs(pass) });
}

/**
 * A visitor who is in already gets the same answer as on admission. Showing the pass here claims a new session as a request does, and a
 * session that lasts longer than its pass gets a new one: here the store is waited for, as long as one call may take.
 */
async function heldAnswer(visit: Visit, queue: GuardedQueue, { token, pass }: HeldPass): Promise<Response> {
  const isBack = isLeaving(visit, queue.queueId);
  const noted = noteActivity(queue, pass, { isDue: isBack });
  const renewed = await renewedPass(queue, pass, { noted, withinMs: queue.gate.store.patience.callMs });
  const response = admittedResponse(visit, queue, renewed ?? { token, sessionId: pass.sessionId, expiresAtMs: slotEndMs(pass) });
  if (isBack) response.headers.append("set-cookie", clearedLeavingCookie(visit, queue.queueId));
  return response;
}
