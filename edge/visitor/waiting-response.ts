import type { GuardedQueue } from "../gate/open-gate.ts";
import type { Turn } from "../gate/turn.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { PAGE_HEADERS } from "./page-headers.ts";
import { waitingVisitor } from "./visitor-answer.ts";
import { waitingPage } from "./waiting-page.ts";

type Waiting = {
  readonly queue: GuardedQueue;
  readonly turn: Extract<Turn, { state: "waiting" }>;
  readonly as: "page" | "json" | "refusal";
  readonly visit: Visit;
};

const STATUS_UNAVAILABLE = 503;
const STATUS_ERROR_MIN = 400;

/**
 * The page, or the same as JSON. An action that was not carried out never gets a status of success, whatever the queue's
 * `waitingStatus`: a client would take 200 or 202 for an accepted order.
 */
export async function waitingResponse({ queue, turn, as, visit }: Waiting): Promise<Response> {
  const { waitingStatus, name } = queue.settings;
  const visitor = waitingVisitor(queue, turn);
  const status = as === "refusal" && waitingStatus < STATUS_ERROR_MIN ? STATUS_UNAVAILABLE : waitingStatus;
  const body = as === "page" ? String(await waitingPage({ name, visitor })) : JSON.stringify(visitor);
  const response = new Response(visit.request.method === "HEAD" ? null : body, { status, headers: PAGE_HEADERS });
  if (as !== "page") response.headers.set("content-type", "application/json");
  response.headers.set("x-request-id", visit.requestId);
  if (status !== 200) response.headers.set("retry-after", String(Math.ceil(visitor.pollAfterMs / 1000)));
  return response;
}
