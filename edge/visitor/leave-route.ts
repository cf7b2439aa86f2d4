import type { Context } from "hono";
import { tokenProblem } from "../../shared/token-problem.ts";
import type { EdgeEnvironment } from "../env.ts";
import { type GuardedQueue, openLineOf } from "../gate/open-gate.ts";
import { StoreUnavailable } from "../gate/outage.ts";
import type { Platform } from "../platform.ts";
import { queueOfRoute } from "./queue-of-route.ts";
import { refusalResponse } from "./refusal.ts";
import { type ShownTokens, shownTokens } from "./shown-tokens.ts";
import { createVisitorCookies } from "./visitor-cookies.ts";

/** `POST /_sluice/queues/{id}/leave`: gives up the place or the slot for good. 204, also the second time. */
export function leaveRoute(platform: Platform) {
  return async (c: Context<EdgeEnvironment>): Promise<Response> => {
    const { visit } = c.var;
    const found = await queueOfRoute(c, platform);
    if (!found.ok) return found.reason;
    const { queue } = found.value;
    const shown = await shownTokens(visit, queue);
    if (!shown.ok) return shown.reason;
    if (shown.value.ticket === undefined && shown.value.pass === undefined) return tokenProblem("missing", { requestId: visit.requestId });
    try {
      await giveUp(queue, shown.value);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      return refusalResponse({ code: "store_unavailable", wants: "json", requestId: visit.requestId });
    }
    const cookies = createVisitorCookies(visit, queue);
    cookies.clear("ticket");
    cookies.clear("pass");
    return cookies.putOn(new Response(null, { status: 204, headers: { "cache-control": "no-store" } }));
  };
}

async function giveUp(queue: GuardedQueue, { ticket, pass }: ShownTokens): Promise<void> {
  const line = openLineOf(queue);
  if (pass !== undefined) return endSession(queue, pass.pass.sessionId);
  if (ticket === undefined) return;
  const { ticketId } = ticket.ticket;
  queue.answers.forget(ticketId);
  // Who was let in meanwhile, and did not hear of it, holds a slot by now.
  if ((await line.leave({ ticketId })).state === "admitted") await endSession(queue, ticketId);
}

async function endSession(queue: GuardedQueue, sessionId: string): Promise<void> {
  await openLineOf(queue).end({ sessionId, reason: "left" });
  queue.revocations.learn(sessionId);
}
