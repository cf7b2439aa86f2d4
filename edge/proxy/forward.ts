import { problemResponse } from "../../shared/errors.ts";
import type { EdgeConfiguration } from "../env.ts";
import { log } from "../log.ts";
import { createOriginClock, type OriginClock } from "./origin-clock.ts";
import type { PlainTarget } from "./plain-target.ts";
import { relayUpload, type Upload } from "./relay-upload.ts";
import { finishResponseHeaders } from "./response-headers.ts";

/** One request that has passed every check, with what the origin is to receive of it. */
export type Visit = {
  readonly request: Request;
  readonly requestId: string;
  readonly target: PlainTarget;
  readonly headers: Headers;
  readonly configuration: EdgeConfiguration;
};

/** An origin that is down is seldom back sooner, and the whole crowd asking at once would not help it. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Sends a request on and brings the answer back, both as streams. It promises an answer: the origin's own, or a
 * problem (502 when it cannot be reached, 504 when it lets us wait longer than ORIGIN_TIMEOUT_MS at one step). Nothing
 * is tried twice. When the client goes away, the runtime drops the request to the origin with it.
 */
export async function forward(visit: Visit): Promise<Response> {
  const { request, requestId } = visit;
  const clock = createOriginClock(visit.configuration.originTimeoutMs);
  const upload = uploadOf(request, clock);
  try {
    const answer = await Promise.race([askOrigin(visit, upload), clock.expired]);
    if (answer !== "expired") return toClient(answer, visit);
    upload?.abort();
    log("warn", "the origin took too long", { requestId, path: visit.target.path });
    return problemResponse("origin_timeout", { requestId, retryAfterSeconds: RETRY_AFTER_SECONDS });
  } catch (error) {
    if (upload?.isBroken()) return problemResponse("request_ambiguous", { requestId });
    log("warn", "the origin cannot be reached", { requestId, path: visit.target.path, error });
    return problemResponse("origin_unreachable", { requestId, retryAfterSeconds: RETRY_AFTER_SECONDS });
  } finally {
    clock.pause();
  }
}

function uploadOf(request: Request, clock: OriginClock): Upload | undefined {
  if (request.body === null || isBodiless(request.method)) {
    clock.run();
    return undefined;
  }
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
  const init: RequestInit = { method: request.method, headers, redirect: "manual" };
  if (upload !== undefined) {
    init.body = upload.body;
    init.signal = upload.signal;
  }
  if (origin.kind === "url") return fetch(origin.site + target.path + target.query, init);
  const travelsInside = !target.isStable || (request.body !== null && isBodiless(request.method));
  if (travelsInside && target.isAsSent) return origin.fetcher.fetch(request, init);
  return origin.fetcher.fetch(target.site + target.path + target.query, init);
}

const STATUS_SWITCHING = 101;
const STATUS_MIN = 200;
const STATUS_MAX = 599;

function toClient(answer: Response, { requestId, target }: Visit): Response {
  const { status, webSocket } = answer;
  if (webSocket !== null && status === STATUS_SWITCHING) return switched(answer, webSocket, requestId);
  if (status < STATUS_MIN || status > STATUS_MAX) {
    // The runtime's HTTP client takes an interim answer (103) for the last one and loses what follows.
    log("error", "the origin answered with a status that cannot be passed on", { requestId, path: target.path, status });
    return problemResponse("origin_unreachable", { requestId, retryAfterSeconds: RETRY_AFTER_SECONDS });
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
