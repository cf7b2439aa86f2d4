import { problemResponse } from "../../../shared/http/errors.ts";
import type { Visit } from "../../request/read-visit.ts";
import type { InviteFault } from "../../room/invite-fault.ts";
import { roomResponse, shownBefore, shownCookie } from "../../room/room-response.ts";
import { rememberPlace, waitingState } from "../../room/room-state.ts";
import type { WaitingForm } from "../decide.ts";
import type { GuardedQueue } from "../open-gate.ts";
import type { Turn } from "../turn.ts";
import { type EarlyVisitor, earlyVisitor, type WaitingVisitor, waitingVisitor } from "./visitor-answer.ts";

type Told<State extends Turn["state"]> = {
  readonly queue: GuardedQueue;
  readonly turn: Extract<Turn, { state: State }>;
  readonly as: WaitingForm;
  readonly visit: Visit;
  readonly notice?: InviteFault | undefined;
};

const STATUS_UNAVAILABLE = 503;
const STATUS_ERROR_MIN = 400;

/** A request that was not forwarded never gets a status of success, whatever the queue's `waitingStatus`. */
export function waitingErrorStatus(queue: Pick<GuardedQueue, "settings"> | undefined): number {
  const { waitingStatus = STATUS_UNAVAILABLE } = queue?.settings ?? {};
  return waitingStatus < STATUS_ERROR_MIN ? STATUS_UNAVAILABLE : waitingStatus;
}

/**
 * The page, the same as JSON, or a short problem for clients that read neither. A request that was not forwarded never
 * gets a status of success, whatever the queue's `waitingStatus`: a client would take 200 or 202 for an accepted order.
 */
export function waitingResponse(told: Told<"waiting">): Response {
  const { queue, turn, visit, notice } = told;
  const visitor = { ...waitingVisitor(queue, turn), ...(notice !== undefined && { notice }) };
  return answer({ ...told, visitor }, (shown) => {
    const memory = rememberPlace(shownBefore(visit, queue.queueId), visitor);
    const next = { kind: "poll", afterMs: visitor.pollAfterMs } as const;
    const response = roomResponse({
      ...shown,
      state: waitingState(visitor, memory),
      ticketId: visitor.ticketId,
      next,
      inviteFault: notice,
    });
    if (memory !== undefined) response.headers.append("set-cookie", shownCookie(visit, queue, memory));
    return response;
  });
}

/** The same for a visitor who comes before places can be taken. */
export function earlyResponse(told: Told<"scheduled">): Response {
  const { queue, turn } = told;
  const visitor = earlyVisitor(queue, turn);
  const isDrawn = queue.settings.order !== "fifo";
  const { opensAt: opensAtMs, placesOpenAt: placesOpenAtMs } = visitor;
  const state = { name: "prequeue", opensAtMs, placesOpenAtMs, total: undefined, isDrawn } as const;
  const next = { kind: "retry", afterMs: visitor.pollAfterMs } as const;
  return answer({ ...told, visitor }, (shown) => roomResponse({ ...shown, state, next }));
}

type Answered = Pick<Told<"waiting">, "queue" | "as" | "visit"> & { readonly visitor: WaitingVisitor | EarlyVisitor };
type Shown = Omit<Parameters<typeof roomResponse>[0], "state" | "next">;

function answer({ queue, as, visit, visitor }: Answered, page: (shown: Shown) => Response): Response {
  const { waitingStatus } = queue.settings;
  const isWanted = as === "page" || as === "json";
  const status = isWanted ? waitingStatus : waitingErrorStatus(queue);
  const retryAfterSeconds = Math.ceil(visitor.pollAfterMs / 1000);
  if (as === "problem")
    return problemResponse("queue_waiting", { status, requestId: visit.requestId, retryAfterSeconds });
  const shown = { visit, queue, status, isFormRefused: as === "refusalPage", nowMs: queue.gate.clock.nowMs() };
  const response = as === "json" || as === "refusal" ? json(visit, visitor, status) : page(shown);
  if (status !== 200) response.headers.set("retry-after", String(retryAfterSeconds));
  return response;
}

function json({ request, requestId }: Visit, visitor: WaitingVisitor | EarlyVisitor, status: number): Response {
  const body = request.method === "HEAD" ? null : JSON.stringify(visitor);
  const headers = {
    "content-type": "application/json",
    "cache-control": "no-store",
    vary: "accept, cookie",
    "x-request-id": requestId,
  };
  return new Response(body, { status, headers });
}
