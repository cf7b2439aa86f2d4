import type { Context } from "hono";
import { problemResponse } from "../../../shared/http/errors.ts";
import { tokenProblem } from "../../../shared/tokens/token-problem.ts";
import type { EdgeEnvironment } from "../../request/env.ts";
import type { Visit } from "../../request/read-visit.ts";
import { roomResponse } from "../../room/room-response.ts";
import { refusalResponse } from "../answers/refusal.ts";
import { createVisitorCookies, leavingCookie } from "../answers/visitor-cookies.ts";
import { isFromOtherSite, sentBy } from "../asks.ts";
import { type GuardedQueue, openLineOf } from "../open-gate.ts";
import { StoreUnavailable } from "../outage/outage.ts";
import { leaveSoon } from "../sessions/leaving.ts";
import { ticketLeftMs } from "../turn.ts";
import { wantsOf } from "../wants.ts";
import { type PassAlone, queueOfRoute, type ShownTokens, shownTokens } from "./queue-of-route.ts";

/**
 * `POST /_sluice/queues/{id}/leave`: gives up the place or the slot permanently. 204, also the second time; a page for
 * the form on our page. The body is not read, so a beacon may have any. `?closing=1` means that a page was closed: see
 * `leave-on-close.ts`.
 */
export async function leaveRoute(c: Context<EdgeEnvironment>): Promise<Response> {
  const { visit } = c.var;
  const found = await queueOfRoute(c, leaveUnknown);
  if (!found.ok) return found.reason;
  const { queue } = found.value;
  // Cookies with SameSite=None are sent with requests from other sites, which must not give up a visitor's place.
  if (isFromOtherSite(sentBy(visit, queue.settings.sameSite)))
    return problemResponse("other_site_refused", { requestId: visit.requestId });
  const shown = await shownTokens(visit, queue);
  if (shown.ok && c.req.query("closing") === "1") return pageClosed(visit, queue, shown.value);
  const answer = shown.ok ? await leave(visit, queue, shown.value) : shown.reason;
  return wantsOf(visit.request) === "form"
    ? asPage(visit, queue, { answer, wasInside: shown.ok && shown.value.pass !== undefined })
    : answer;
}

/** Only a session is given up with its page: a place in line is kept for a visitor who comes back. */
async function pageClosed(visit: Visit, queue: GuardedQueue, { pass, isRevoked }: ShownTokens): Promise<Response> {
  const headers = new Headers({ "cache-control": "no-store" });
  if (pass === undefined || isRevoked) return new Response(null, { status: 204, headers });
  try {
    await leaveSoon(queue, pass.pass.sessionId);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return refusalResponse({ code: "store_unavailable", wants: "json", visit });
  }
  headers.append("set-cookie", leavingCookie(visit, queue.queueId));
  return new Response(null, { status: 204, headers });
}

async function leave(visit: Visit, queue: GuardedQueue, shown: ShownTokens): Promise<Response> {
  const { ticket, pass, slotless } = shown;
  if (ticket === undefined && pass === undefined && slotless === undefined)
    return tokenProblem("missing", { requestId: visit.requestId });
  try {
    await giveUp(queue, shown);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return refusalResponse({ code: "store_unavailable", wants: "json", visit });
  }
  return leftResponse(visit, queue);
}

function leftResponse(visit: Visit, queue: Pick<GuardedQueue, "gate" | "queueId">): Response {
  const cookies = createVisitorCookies(visit, queue);
  cookies.clear("ticket");
  cookies.clear("pass");
  return cookies.putOn(new Response(null, { status: 204, headers: { "cache-control": "no-store" } }));
}

/** The settings of the queue are unknown; the session ends nevertheless. */
function leaveUnknown({ visit, gate, held }: PassAlone): Response {
  const { queueId, sessionId } = held.pass;
  const { revocations, sweeps } = gate.memoryOf(queueId);
  revocations.learn(sessionId);
  sweeps.owe(sessionId, "left");
  return leftResponse(visit, { gate, queueId });
}

type Left = {
  readonly answer: Response;
  /** Gave up a session, not a place in line. */
  readonly wasInside: boolean;
};

/**
 * A visitor without a token has left already. When the store is unavailable, visitors keep their place, and the page
 * says so.
 */
function asPage(visit: Visit, queue: GuardedQueue, { answer, wasInside }: Left): Response {
  if (answer.status >= 500) return refusalResponse({ code: "store_unavailable", wants: "page", visit, queue });
  const page = roomResponse({
    visit,
    queue,
    state: { name: "ended", reason: "left", wasInside },
    status: 200,
    next: { kind: "stay" },
  });
  for (const cookie of answer.headers.getSetCookie()) page.headers.append("set-cookie", cookie);
  return page;
}

async function giveUp(queue: GuardedQueue, { ticket, pass }: ShownTokens): Promise<void> {
  const line = openLineOf(queue);
  if (pass !== undefined) return endSession(queue, pass.pass.sessionId);
  if (ticket === undefined) return;
  const { ticketId, keyed: isKeyed = false } = ticket.ticket;
  queue.answers.forget(ticketId);
  // A visitor who was admitted since the last poll holds a slot.
  if ((await line.leave({ ticketId, isKeyed, ticketLeftMs: ticketLeftMs(queue, ticket) })).state === "admitted")
    await endSession(queue, ticketId);
}

/**
 * A slot can be given up at any time: when the store is unavailable, it is written later, and this isolate refuses the
 * session at once.
 */
async function endSession(queue: GuardedQueue, sessionId: string): Promise<void> {
  try {
    await openLineOf(queue).end({ sessionId, reason: "left" });
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    queue.sweeps.owe(sessionId, "left");
  }
  queue.revocations.learn(sessionId);
}
