import type { MiddlewareHandler } from "hono";
import { type ErrorCode, problemResponse } from "../../shared/errors.ts";
import { newId, systemRandom } from "../../shared/ids.ts";
import { type EdgeEnvironment, edgeConfiguration } from "../env.ts";
import { log } from "../log.ts";
import { clientAddress } from "./client-address.ts";
import { plainTarget, type TargetFault } from "./plain-target.ts";
import { requestHeaders } from "./request-headers.ts";

/**
 * The first thing every request meets. It lets through only what can be read in one way: a plain target, a framing
 * without contradiction, a method that is served. What passes carries a `visit`: the one reading that all later steps use.
 */
export const admit: MiddlewareHandler<EdgeEnvironment> = async (c, next) => {
  const request = c.req.raw;
  const requestId = newId(systemRandom);
  const configuration = edgeConfiguration(c.env);
  if (!configuration.ok) {
    log("error", "the edge is not configured", { requestId, faults: configuration.reason });
    return problemResponse("internal_error", { requestId });
  }
  if (METHODS_REFUSED.has(request.method)) return problemResponse("method_not_allowed", { requestId, headers: { allow: METHODS_SERVED } });
  const target = plainTarget(request.url);
  if (!target.ok) return problemResponse(codeOf(target.reason), { requestId });
  if (isReservedMisspelt(target.value.path)) return problemResponse("not_found", { requestId });
  const headers = requestHeaders(request.headers, {
    requestId,
    host: target.value.host,
    protocol: target.value.protocol,
    clientAddress: clientAddress(request, configuration.value.clientAddressFrom),
  });
  if (!headers.ok || hasChunkedGet(request)) return problemResponse("request_ambiguous", { requestId });
  c.set("configuration", configuration.value);
  c.set("visit", { request, requestId, target: target.value, headers: headers.value, configuration: configuration.value });
  return next();
};

/** TRACE would send a visitor's cookies back to a script. CONNECT asks for a tunnel, which this is not. */
const METHODS_REFUSED: ReadonlySet<string> = new Set(["TRACE", "CONNECT"]);
const METHODS_SERVED = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/** What the route table is matched against; a target that is refused matches nothing of ours, and `admit` comes first anyway. */
export function routePath(request: Request): string {
  const target = plainTarget(request.url);
  return target.ok ? target.value.path : "/";
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

/** The body of a GET travels inside its request, where a chunked one that breaks off would look complete to the origin. */
function hasChunkedGet(request: Request): boolean {
  return (request.method === "GET" || request.method === "HEAD") && request.body !== null && !request.headers.has("content-length");
}
