import { type ErrorCode, errorCatalogue, problemResponse } from "../../shared/errors.ts";
import { log } from "../log.ts";
import { OriginClock } from "./origin-clock.ts";
import type { Visit } from "./read-visit.ts";
import { relayUpload, type Upload } from "./relay-upload.ts";
import { finishResponseHeaders } from "./response-headers.ts";

/** An origin that is down is seldom back sooner, and the whole crowd asking at once would not help it. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Sends a request on and brings the answer back, both as streams. It promises an answer: the origin's own, or a
 * problem (502 when it cannot be reached, 504 when it lets us wait longer than ORIGIN_TIMEOUT_MS at one step). Nothing
 * is tried twice. When the client goes away, the runtime drops the request to the origin with it.
 * `hear` gets the origin's headers as they came, with those that are between the origin and the gate.
 */
export async function forward(visit: Visit, hear?: (headers: Headers) => void): Promise<Response> {
  const clock = new OriginClock(visit.configuration.originTimeoutMs);
  const upload = uploadOf(visit.request, clock);
  let outcome: Response | "expired";
  try {
    const answer = clock.answerOf(askOrigin(visit, upload));
    if (upload === undefined) clock.run();
    outcome = await answer;
  } catch (error) {
    return failed(visit, upload?.isBroken() ? "request_ambiguous" : "origin_unreachable", error);
  } finally {
    clock.pause();
  }
  if (outcome !== "expired") {
    hear?.(outcome.headers);
    return toClient(outcome, visit);
  }
  upload?.abort();
  return failed(visit, "origin_timeout");
}

function failed({ requestId, target }: Visit, code: ErrorCode, error?: unknown): Response {
  log("warn", "a request was not answered by the origin", { requestId, code, path: target.path, error });
  return problemResponse(code, { requestId, ...(errorCatalogue[code].retry === "later" && { retryAfterSeconds: RETRY_AFTER_SECONDS }) });
}

function uploadOf(request: Request, clock: OriginClock): Upload | undefined {
  if (request.body === null || isBodiless(request.method)) return undefined;
  return relayUpload({ body: request.body, length: request.headers.get("content-length"), clock });
}

function isBodiless(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * A URL goes out as text where the platform's parser leaves it as it is, which is cheap; else inside the request, which
 * keeps it byte for byte. A GET with a body can only travel inside the request it came in.
 */
function askOrigin({ request, target, headers, configuration }: Visit, upload: Upload | undefined): Promise<Response> {
  const { origin } = configuration;
  const init: RequestInit = { headers, redirect: "manual" };
  if (upload !== undefined) {
    init.body = upload.body;
    init.signal = upload.signal;
  }
  const travelsInside = !target.isStable || (request.body !== null && isBodiless(request.method));
  if (travelsInside && target.isAsSent && origin.kind === "binding") return origin.fetcher.fetch(request, init);
  init.method = request.method;
  if (origin.kind === "url") return fetch(origin.site + target.path + target.query, init);
  return origin.fetcher.fetch(target.site + target.path + target.query, init);
}

const STATUS_SWITCHING = 101;
const STATUS_MIN = 200;
const STATUS_MAX = 599;

function toClient(answer: Response, visit: Visit): Response {
  const { requestId } = visit;
  const { status, webSocket } = answer;
  if (webSocket !== null && status === STATUS_SWITCHING) return switched(answer, webSocket, requestId);
  if (status < STATUS_MIN || status > STATUS_MAX) {
    // The runtime's HTTP client takes an interim answer (103) for the last one and loses what follows.
    return failed(visit, "origin_unreachable", new Error(`the origin answered with status ${status}, which cannot be passed on`));
  }
  const response = new Response(answer.body, answer);
  finishResponseHeaders(response.headers, requestId);
  return response;
}

/** From here on the runtime passes frames, pings and close codes both ways without us. */
function switched(answer: Response, webSocket: WebSocket, requestId: string): Response {
  const headers = new Headers(answer.headers);
  finishResponseHeaders(headers, requestId);
  return new Response(null, { status: STATUS_SWITCHING, webSocket, headers });
}
