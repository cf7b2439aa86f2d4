import { type ErrorCode, errorCatalogue, problemResponse } from "../../../shared/http/errors.ts";
import { tokenProblem } from "../../../shared/tokens/token-problem.ts";
import type { Visit } from "../../request/read-visit.ts";
import { roomResponse } from "../../room/room-response.ts";
import type { RoomState } from "../../room/room-state.ts";
import type { Wants } from "../decide.ts";
import type { GuardedQueue } from "../open-gate.ts";
import type { Turn } from "../turn.ts";
import { waitingErrorStatus } from "./waiting-response.ts";

type Refusal = {
  readonly code: ErrorCode;
  readonly wants: Wants;
  readonly visit: Visit;
  /** Left out where it is unknown. */
  readonly queue?: GuardedQueue;
  readonly turn?: Turn | undefined;
};

/** Long enough for a store to come back, short enough for a person to stay. */
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = {
  address_limit: 30,
  event_over: 300,
  queue_closed: 60,
  queue_full: 15,
  queue_maintenance: 60,
  queue_unavailable: 5,
  queue_waiting: 5,
  store_unavailable: 2,
};

/** The page for each code; every other code shows the page of an unavailable store. */
const STATES: Partial<Record<ErrorCode, RoomState>> = {
  address_limit: { name: "rateLimited", by: "address" },
  event_over: { name: "ended", reason: "closed" },
  queue_closed: { name: "ended", reason: "closed" },
  queue_full: { name: "full" },
  queue_maintenance: { name: "maintenance" },
  other_site_form: { name: "otherSite" },
  rate_limited: { name: "rateLimited", by: "visitor" },
};

/** A page for people, a problem for programs, with the same status and the same hint when to come back. */
export function refusalResponse({ code, wants, visit, queue, turn }: Refusal): Response {
  const { requestId } = visit;
  if (code === "token_invalid") return tokenProblem("missing", { requestId });
  const limit = turn?.state === "rate_limited" ? turn.verdict : undefined;
  const retryAfterSeconds = limit?.retryAfterSeconds ?? RETRY_AFTER_SECONDS[code];
  const headers = limit?.headers ?? {};
  // The part of a page that there is a line before, however it describes itself: no person will see the answer.
  const isPart = code === "queue_waiting";
  if (isPart || (wants !== "page" && wants !== "form")) {
    const status = isPart ? waitingErrorStatus(queue) : errorCatalogue[code].status;
    return problemResponse(code, {
      status,
      requestId,
      headers,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  }
  return roomResponse({
    visit,
    queue,
    state: STATES[code] ?? { name: "storeDown" },
    status: errorCatalogue[code].status,
    next: retryAfterSeconds === undefined ? { kind: "stay" } : { kind: "retry", afterMs: retryAfterSeconds * 1000 },
    isFormRefused: wants === "form",
    headers: retryAfterSeconds === undefined ? headers : { ...headers, "retry-after": String(retryAfterSeconds) },
  });
}
