import type { IssuedPass } from "../gate/issue.ts";
import type { GuardedQueue } from "../gate/open-gate.ts";
import type { Turn } from "../gate/turn.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { refusalResponse } from "./refusal.ts";
import { admittedVisitor, earlyVisitor, endedVisitor, revokedVisitor, type VisitorAnswer, waitingVisitor } from "./visitor-answer.ts";
import { createVisitorCookies, type VisitorCookies } from "./visitor-cookies.ts";

type Told = {
  readonly visit: Visit;
  readonly queue: GuardedQueue;
  readonly turn: Turn;
  /** 201 for a place that was not there before. */
  readonly waitingStatus: 200 | 201;
  /** The pass that came along is of a session that is over, and would speak against the new place. */
  readonly isPassOver?: boolean;
};

const REFUSALS = {
  closed: "queue_closed",
  over: "event_over",
  full: "queue_full",
  address_limit: "address_limit",
  invite_used: "invite_used",
  invite_revoked: "invite_revoked",
  proof_spent: "proof_refused",
  rate_limited: "rate_limited",
  missing: "queue_unavailable",
  unavailable: "store_unavailable",
  failed: "store_unavailable",
} as const;

/** The answer of `enter` and `heartbeat`: JSON, and the same tokens as cookies. */
export async function turnResponse({ visit, queue, turn, waitingStatus, isPassOver = false }: Told): Promise<Response> {
  const cookies = createVisitorCookies(visit, queue);
  switch (turn.state) {
    case "waiting":
      cookies.setTicket(turn.issued);
      if (isPassOver) cookies.clear("pass");
      return json(waitingVisitor(queue, turn), waitingStatus, cookies);
    case "scheduled":
      return json(earlyVisitor(queue, turn), 200);
    case "admitted":
      return admittedResponse(visit, queue, turn.pass);
    case "revoked":
      // The tokens stay: whoever comes back with them is told the same, and joins again only on purpose.
      return json(revokedVisitor(queue, turn), 200);
    case "ended":
      cookies.clear("ticket");
      cookies.clear("pass");
      return json(endedVisitor(queue, turn.reason), 200, cookies);
    default:
      return refusalResponse({ code: REFUSALS[turn.state], wants: "json", visit, turn });
  }
}

export function admittedResponse(visit: Visit, queue: Pick<GuardedQueue, "gate" | "queueId">, pass: IssuedPass): Response {
  const cookies = createVisitorCookies(visit, queue);
  cookies.setPass(pass);
  return json(admittedVisitor(queue, pass), 200, cookies);
}

function json(answer: VisitorAnswer, status: number, cookies?: VisitorCookies): Response {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  const response = new Response(JSON.stringify(answer), { status, headers });
  cookies?.addTo(response.headers);
  return response;
}
