import { type ErrorCode, problemResponse } from "../../shared/http/errors.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { hasStrandedBody, type Visit } from "../request/read-visit.ts";
import { finishResponseHeaders, hiddenNames, isForbiddenTarget, OriginClock, originFailure } from "./forwarding.ts";
import type { Forwarding } from "./platform.ts";
import { relayUpload, type Upload } from "./relay-upload.ts";

/**
 * Forwards a request and brings the response back, both as streams. It promises a response: the origin's own, or a
 * problem (502 when the origin cannot be reached, 504 when one of its steps takes longer than ORIGIN_TIMEOUT_MS, 408
 * when the client's body takes longer than BODY_TIMEOUT_MS). A request that reads and has no body is retried once when
 * its connection ended before a response began: it may have been an idle one that the origin was just closing. Nothing
 * else is retried. When the client disconnects, the runtime drops the request to the origin too.
 */
export async function forward(visit: Visit, { onOriginHeaders, targetUrl = null }: Forwarding = {}): Promise<Response> {
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
    onOriginHeaders?.(outcome.headers);
    return toClient(outcome, visit);
  }
  upload?.abort?.();
  return originFailure(visit, "origin_timeout");
}

/** The error code of each fault of a body. */
const CODES = { broken: "request_ambiguous", slow: "request_timeout" } as const satisfies Record<string, ErrorCode>;

/** The body for the origin: a stream, or a small body in one piece. */
type Sent = Partial<Omit<Upload, "body">> & { readonly body: Upload["body"] | ArrayBuffer };

function bodyOf(visit: Visit, clock: OriginClock): Promise<Result<Sent, BodyFault>> | Result<Sent | undefined, never> {
  const { request, method, hasBody, headers, configuration } = visit;
  if (!hasBody || isBodiless(method) || request.body === null) return NO_BODY;
  if (isSmallBody(visit)) return readSmallBody(visit);
  return ok(
    relayUpload({
      body: request.body,
      length: headers.get("content-length"),
      clock,
      windowMs: configuration.bodyTimeoutMs,
    }),
  );
}

const NO_BODY = ok(undefined);

function refuseTarget(visit: Visit, targetUrl: string): Response | undefined {
  if (isForbiddenTarget(visit, targetUrl))
    return originFailure(visit, "origin_unreachable", new Error("targetUrl is not public"));
  const isStranded = hasStrandedBody(visit, { goesElsewhere: true });
  return isStranded ? problemResponse("request_ambiguous", { requestId: visit.requestId }) : undefined;
}

/**
 * RFC 9110, 9.2.2. A request that changes something is not repeated, idempotent or not: a second DELETE is answered as
 * if the first had never been.
 */
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

const STATUS_SWITCHING = 101;
const STATUS_MIN = 200;
const STATUS_ERROR_MIN = 400;
const STATUS_MAX = 599;

/**
 * A response passes unchanged wherever possible: to write one header, the runtime copies all of it, which costs a tenth
 * of forwarding. So the request's id is only on errors, where it is needed.
 */
function toClient(answer: Response, visit: Visit): Response {
  const { status } = answer;
  const isSwitched = status === STATUS_SWITCHING && answer.webSocket !== null;
  if (!isSwitched && (status < STATUS_MIN || status > STATUS_MAX)) {
    // The runtime's HTTP client takes an interim answer (103) for the last one and loses what follows.
    return originFailure(
      visit,
      "origin_unreachable",
      new Error(`the origin answered with status ${status}, which cannot be passed on`),
    );
  }
  if (status < STATUS_ERROR_MIN && hiddenNames(answer.headers) === undefined) return answer;
  const response = isSwitched ? new Response(null, answer) : new Response(answer.body, answer);
  finishResponseHeaders(response.headers, visit.requestId);
  return response;
}

/** `broken`: the client broke off; `slow`: it took too long. */
export type BodyFault = "broken" | "slow";

/** A form or an order. A larger body is streamed to the origin. */
const SMALL_BYTES_MAX = 65_536;

/** Whether the body is small enough to be read completely before the origin is asked. */
function isSmallBody({ headers }: Visit): boolean {
  const length = headers.get("content-length");
  return length !== null && Number(length) <= SMALL_BYTES_MAX;
}

/**
 * The whole of a small body: to move it piece by piece would cost three times as much as everything else about the
 * request, and the origin would wait for the client. It must be here within a bound.
 */
function readSmallBody({ request, configuration }: Visit): Promise<Result<{ readonly body: ArrayBuffer }, BodyFault>> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(fail("slow")), configuration.bodyTimeoutMs);
    const finish = (read: Result<{ readonly body: ArrayBuffer }, BodyFault>) => {
      clearTimeout(timer);
      resolve(read);
    };
    request.arrayBuffer().then(
      (body) => finish(ok({ body })),
      () => finish(fail("broken")),
    );
  });
}
