import { errorCatalogue, problemResponse } from "../../../shared/http/errors.ts";
import type { Visit } from "../../request/read-visit.ts";
import { roomResponse } from "../../room/room-response.ts";
import type { WaitingForm } from "../decide.ts";
import type { GuardedQueue } from "../open-gate.ts";
import type { EndedSession } from "../sessions/ending.ts";
import type { Turn } from "../turn.ts";
import { revokedVisitor } from "./visitor-answer.ts";
import { banCookie } from "./visitor-cookies.ts";

type Told = {
  readonly queue: GuardedQueue;
  readonly turn: Extract<Turn, { state: "revoked" }>;
  readonly as: WaitingForm;
  readonly visit: Visit;
  /** As the browser shows it; a ticket that was revoked shows itself. */
  readonly ended?: EndedSession | undefined;
};

/**
 * The organiser ended the session. The request is not forwarded, and the status is never a success. The cookies stay,
 * so that a repeated request gets the same answer: only `enter`, by a button on the page, leads back to the line. A ban
 * is remembered for longer than a pass lives.
 */
export async function revokedResponse(told: Told): Promise<Response> {
  const { queue, turn, visit, ended } = told;
  const response = answer(told);
  const { banLeftMs } = turn;
  if (banLeftMs > 0 && ended !== undefined)
    response.headers.append("set-cookie", await banCookie(visit, queue, { sessionId: ended.sessionId, banLeftMs }));
  return response;
}

function answer({ queue, turn, as, visit }: Told): Response {
  const { banLeftMs } = turn;
  const { requestId } = visit;
  const code = banLeftMs > 0 ? "session_banned" : "session_revoked";
  const { status } = errorCatalogue[code];
  const retryAfter = banLeftMs > 0 ? { "retry-after": String(Math.ceil(banLeftMs / 1000)) } : undefined;
  if (as === "problem") return problemResponse(code, { requestId, headers: { ...retryAfter } });
  if (as === "json" || as === "refusal") {
    const body = visit.method === "HEAD" ? null : JSON.stringify(revokedVisitor(queue, turn));
    const headers = {
      "content-type": "application/json",
      "cache-control": "no-store",
      vary: "accept, cookie",
      "x-request-id": requestId,
    };
    return new Response(body, { status, headers: { ...headers, ...retryAfter } });
  }
  const state = { name: "ended", reason: "revoked", ...(banLeftMs > 0 && { banLeftMs }) } as const;
  return roomResponse({
    visit,
    queue,
    state,
    status,
    next: { kind: "stay" },
    isFormRefused: as === "refusalPage",
    headers: { ...retryAfter },
  });
}
