import type { MiddlewareHandler } from "hono";
import { type ErrorCode, problemResponse } from "../../shared/http/errors.ts";
import { newId, systemRandom } from "../../shared/ids.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import {
  type ConfigurationResult,
  type EdgeBindings,
  type EdgeConfiguration,
  type EdgeEnvironment,
  readConfiguration,
} from "./env.ts";
import { log } from "./log.ts";
import { type PlainTarget, plainTarget, type TargetFault, targetAt } from "./plain-target.ts";
import { requestHeaders } from "./request-headers.ts";
import { claimsOfProxies } from "./trusted-proxies.ts";

/**
 * A request in the one reading that every later step uses: what it asks for, and what the origin is to receive of it.
 */
export type Visit = {
  readonly request: Request;
  readonly requestId: string;
  /** Read once: each look at a request goes through the runtime and costs more than anything we do with it. */
  readonly method: string;
  readonly hasBody: boolean;
  readonly target: PlainTarget;
  /** The visitor's, as the platform or a trusted proxy vouches for it; undefined where neither does. */
  readonly clientAddress: string | undefined;
  /** The headers for the origin. */
  readonly headers: Headers;
  readonly configuration: EdgeConfiguration;
};

/**
 * The first thing every request meets. It lets through only what can be read in one way: a plain target, a framing
 * without contradiction, a method that is served. Everything else gets its answer here and goes no further.
 */
export function readVisit(request: Request, bindings: EdgeBindings): Result<Visit, Response> {
  const requestId = newId(systemRandom);
  const configuration = edgeConfiguration(bindings);
  if (!configuration.ok) {
    log("error", "the edge is not configured", { requestId, faults: configuration.reason });
    return fail(problemResponse("internal_error", { requestId }));
  }
  const { method } = request;
  if (METHODS_REFUSED.has(method)) return fail(methodRefused(requestId));
  const sent = plainTarget(request.url);
  if (!sent.ok) return fail(problemResponse(codeOf(sent.reason), { requestId }));
  if (isReservedMisspelt(sent.value.path)) return fail(problemResponse("not_found", { requestId }));
  const source = sourceOf(request, sent.value, configuration.value);
  if (!source.ok) return fail(problemResponse("request_ambiguous", { requestId }));
  const { target, clientAddress } = source.value;
  const headers = requestHeaders(request.headers, {
    requestId,
    host: target.host,
    protocol: target.protocol,
    clientAddress,
  });
  // RFC 9112, 6.1: where the framing is in doubt, so is where the next request begins.
  if (!headers.ok) return fail(problemResponse(headers.reason, { requestId, headers: { connection: "close" } }));
  const hasBody = request.body !== null;
  const visit = {
    request,
    requestId,
    method,
    hasBody,
    target,
    clientAddress,
    headers: headers.value,
    configuration: configuration.value,
  };
  const goesElsewhere = configuration.value.origin.kind === "url" || !target.isAsSent;
  return hasStrandedBody(visit, { goesElsewhere })
    ? fail(problemResponse("request_ambiguous", { requestId }))
    : ok(visit);
}

let last: { readonly bindings: EdgeBindings; readonly result: ConfigurationResult } | undefined;

/** Once per isolate: the platform hands every request the same bindings. */
export function edgeConfiguration(bindings: EdgeBindings): ConfigurationResult {
  if (last?.bindings !== bindings) last = { bindings, result: readConfiguration(bindings) };
  return last.result;
}

type Source = Pick<Visit, "target" | "clientAddress">;

/** The client's address and the target. Only trusted proxies may report others. */
function sourceOf(
  request: Request,
  sent: PlainTarget,
  configuration: EdgeConfiguration,
): Result<Source, "site" | "contradictory"> {
  const { clientAddressFrom, trustedProxies: trusted } = configuration;
  const peer = clientAddress(request, clientAddressFrom);
  if (trusted.length === 0) return ok({ target: sent, clientAddress: peer });
  const claims = claimsOfProxies({ peer, trusted, header: (name) => request.headers.get(name) });
  if (!claims.ok) return claims;
  const target = targetAt(sent, claims.value);
  return target.ok ? ok({ target: target.value, clientAddress: claims.value.address }) : target;
}

/** The path for the route table. A refused target matches none of our routes. */
export function routePath(request: Request): string {
  const target = plainTarget(request.url);
  return target.ok ? target.value.path : "/";
}

/** TRACE would send a visitor's cookies back to a script. CONNECT asks for a tunnel, which this is not. */
const METHODS_REFUSED: ReadonlySet<string> = new Set(["TRACE", "CONNECT"]);
const METHODS_SERVED = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

function methodRefused(requestId: string): Response {
  return problemResponse("method_not_allowed", { requestId, headers: { allow: METHODS_SERVED } });
}

function codeOf(fault: TargetFault): ErrorCode {
  if (fault === "too_long") return "url_too_long";
  return fault === "site" ? "request_ambiguous" : "path_not_plain";
}

const RESERVED = "/_sluice";
const RESERVED_IN_ANY_CASE = /^\/_sluice(?:\/|$)/i;

/** Our own paths have one spelling. An origin that ignores case must not be asked for them under another. */
function isReservedMisspelt(path: string): boolean {
  return !path.startsWith(RESERVED) && RESERVED_IN_ANY_CASE.test(path);
}

/**
 * The runtime builds no GET with a body, so such a body can only travel inside the request it came in: not to another
 * URL (`goesElsewhere`), and not chunked, because an incomplete chunked body would look complete to the origin.
 */
export function hasStrandedBody(visit: Visit, { goesElsewhere }: { readonly goesElsewhere: boolean }): boolean {
  const { method, hasBody, headers } = visit;
  if (!hasBody || (method !== "GET" && method !== "HEAD")) return false;
  const length = headers.get("content-length");
  return length === null || (length !== "0" && goesElsewhere);
}

/** The source of the client's address: workerd's own socket, or the Cloudflare network in front of the worker. */
export type ClientAddressSource = "socket" | "cloudflare";

type Arrival = { readonly cf?: unknown; readonly headers: { readonly get: (name: string) => string | null } };

/**
 * The client's address as the platform saw it, never as the client claims it. Undefined where the platform does not
 * say: then the origin gets no address, because a wrong one is worse than none.
 */
export function clientAddress(arrival: Arrival, source: ClientAddressSource): string | undefined {
  if (source === "cloudflare") return arrival.headers.get("cf-connecting-ip") ?? undefined;
  // workerd puts the peer here itself; on Cloudflare there is no such field, so a slip in the configuration invents
  // nothing.
  const peer = (arrival.cf as { readonly clientIp?: unknown } | null | undefined)?.clientIp;
  return typeof peer === "string" ? withoutPort(peer) : undefined;
}

/** `10.0.0.1:5000` or `[::1]:5000`; a local socket has no such form and so no address. */
function withoutPort(peer: string): string | undefined {
  const end = peer.lastIndexOf(":");
  if (end <= 0) return undefined;
  return peer.startsWith("[") && peer.endsWith("]", end) ? peer.slice(1, end - 1) : peer.slice(0, end);
}

/** Runs before every route of ours: the same checks as before forwarding, and the request's id on the response. */
export const ownRoute: MiddlewareHandler<EdgeEnvironment> = async (c, next) => {
  const visit = readVisit(c.req.raw, c.env);
  if (!visit.ok) return visit.reason;
  c.set("visit", visit.value);
  c.set("configuration", visit.value.configuration);
  await next();
  c.res.headers.set("x-request-id", visit.value.requestId);
  return undefined;
};
