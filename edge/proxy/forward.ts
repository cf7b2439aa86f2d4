import { type ErrorCode, problemResponse } from "../../shared/errors.ts";
import { ok, type Result } from "../../shared/result.ts";
import { type Forwarding, isForbiddenTarget } from "./forwarding.ts";
import { OriginClock } from "./origin-clock.ts";
import { originFailure } from "./origin-failure.ts";
import type { Visit } from "./read-visit.ts";
import { relayUpload, type Upload } from "./relay-upload.ts";
import { finishResponseHeaders, hiddenNames } from "./response-headers.ts";
import { type BodyFault, isSmallBody, readSmallBody } from "./small-body.ts";

/**
 * Sends a request on and brings the answer back, both as streams. It promises an answer: the origin's own, or a
 * problem (502 when it cannot be reached, 504 when it lets us wait longer than ORIGIN_TIMEOUT_MS at one step, 408 when the
 * client lets us wait for its body longer than BODY_TIMEOUT_MS). A request that reads and has no body is tried once more when
 * its connection ended before an answer began: it may have been an idle one that the origin was just closing. Nothing else is
 * tried twice. When the client goes away, the runtime drops the request to the origin with it.
 */
export async function forward(visit: Visit, { hear, targetUrl = null }: Forwarding = {}): Promise<Response> {
  const refusal = targetUrl === null ? undefined : refuseTarget(visit, targetUrl);
  if (refusal !== undefined) return refusal;
  const clock = new OriginClock(visit.configuration.originTimeoutMs);
  const body = await bodyOf(visit, clock);
  if (!body.ok) return originFailure(visit, CODES[body.reason]);
  const upload = body.value;
  let outcome: Response | "expired";
  try {
    const ask = () => (targetUrl === null ? askOrigin(visit, upload) : askUpstream(visit, upload, targetUrl));
    const answer = clock.answerOf(isRepeatable(visit) ? ask().catch(ask) : ask());
    if (upload?.signal === undefined) clock.run();
    outcome = await answer;
  } catch (error) {
    const fault = upload?.fault?.();
    return originFailure(visit, fault === undefined ? "origin_unreachable" : CODES[fault], error);
  } finally {
    clock.pause();
  }
  if (outcome !== "expired") {
    hear?.(outcome.headers);
    return toClient(outcome, visit);
  }
  upload?.abort?.();
  return originFailure(visit, "origin_timeout");
}

/** What was wrong with a body, to its client. */
const CODES = { broken: "request_ambiguous", slow: "request_timeout" } as const satisfies Record<string, ErrorCode>;

/** What goes to the origin: a stream, or a small body as a whole. */
type Sent = Partial<Omit<Upload, "body">> & { readonly body: Upload["body"] | ArrayBuffer };

function bodyOf(visit: Visit, clock: OriginClock): Promise<Result<Sent, BodyFault>> | Result<Sent | undefined, never> {
  const { request, method, hasBody, headers, configuration } = visit;
  if (!hasBody || isBodiless(method) || request.body === null) return NO_BODY;
  if (isSmallBody(visit)) return readSmallBody(visit);
  return ok(relayUpload({ body: request.body, length: headers.get("content-length"), clock, windowMs: configuration.bodyTimeoutMs }));
}

const NO_BODY = ok(undefined);

function refuseTarget(visit: Visit, targetUrl: string): Response | undefined {
  if (isForbiddenTarget(visit, targetUrl)) return originFailure(visit, "origin_unreachable", new Error("targetUrl is not public"));
  return hasStrandedBody(visit) ? problemResponse("request_ambiguous", { requestId: visit.requestId }) : undefined;
}

/** RFC 9110, 9.2.2. What changes something is not repeated, idempotent or not: a second DELETE is answered as if the first had never been. */
function isRepeatable({ method, hasBody }: Visit): boolean {
  return !hasBody && (method === "GET" || method === "HEAD" || method === "OPTIONS");
}

function isBodiless(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * A URL goes out as text where the platform's parser leaves it as it is, which is cheap; else inside the request, which
 * keeps it byte for byte. A GET with a body can only travel inside the request it came in.
 */
function askOrigin(visit: Visit, upload: Sent | undefined): Promise<Response> {
  const { request, method, hasBody, target } = visit;
  const { origin } = visit.configuration;
  const init = initOf(visit, upload);
  const travelsInside = !target.isStable || (hasBody && upload === undefined);
  if (travelsInside && target.isAsSent && origin.kind === "binding") return origin.fetcher.fetch(request, init);
  // GET need not be said, and what is not said need not cross into the runtime.
  if (method !== "GET") init.method = method;
  if (origin.kind === "url") return fetch(origin.site + target.path + target.query, init);
  return origin.fetcher.fetch(target.site + target.path + target.query, init);
}

/** A queue's own upstream is somewhere on the network, and named by its URL. */
function askUpstream(visit: Visit, upload: Sent | undefined, targetUrl: string): Promise<Response> {
  const { method, target, configuration } = visit;
  return configuration.upstreams.fetch(targetUrl + target.path + target.query, { ...initOf(visit, upload), method });
}

function initOf({ headers }: Visit, upload: Sent | undefined): RequestInit {
  const init: RequestInit = { headers, redirect: "manual" };
  if (upload !== undefined) {
    init.body = upload.body;
    if (upload.signal !== undefined) init.signal = upload.signal;
  }
  return init;
}

/** A GET with a body can only travel inside the request it came in, and that one does not go there. */
function hasStrandedBody({ hasBody, method, headers }: Visit): boolean {
  return hasBody && isBodiless(method) && headers.get("content-length") !== "0";
}

const STATUS_SWITCHING = 101;
const STATUS_MIN = 200;
const STATUS_ERROR_MIN = 400;
const STATUS_MAX = 599;

/**
 * An answer passes as it came wherever it can: to write one header into it, the runtime copies all of it, which costs
 * a tenth of what forwarding costs. So the request's id stands on errors, where somebody will ask for it.
 */
function toClient(answer: Response, visit: Visit): Response {
  const { status } = answer;
  const isSwitched = status === STATUS_SWITCHING && answer.webSocket !== null;
  if (!isSwitched && (status < STATUS_MIN || status > STATUS_MAX)) {
    // The runtime's HTTP client takes an interim answer (103) for the last one and loses what follows.
    return originFailure(visit, "origin_unreachable", new Error(`the origin answered with status ${status}, which cannot be passed on`));
  }
  if (status < STATUS_ERROR_MIN && hiddenNames(answer.headers) === undefined) return answer;
  const response = isSwitched ? new Response(null, answer) : new Response(answer.body, answer);
  finishResponseHeaders(response.headers, visit.requestId);
  return response;
}
