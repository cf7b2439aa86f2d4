import { assert } from "../../shared/assert.ts";
import { type ErrorCode, errorCatalogue, problemResponse, type RefusalOptions } from "../../shared/http/errors.ts";
import type { LimitVerdict } from "../../shared/http/limit.ts";
import { addressIdentity } from "../../shared/net/ip-address.ts";
import { ok } from "../../shared/result.ts";
import type { Permission } from "../accounts/api-keys/key-queries.ts";
import type { Place } from "../accounts/identity/accounts.ts";
import { type ProcessLimits, takeOfCaller } from "../accounts/limits/process-limits.ts";
import type { ApiRequest } from "./api-request.ts";
import type { Authenticate, AuthenticationRefusal } from "./authenticate.ts";
import type { Caller, Identity, VenueOperation } from "./operation.ts";
import { readInput } from "./read-input.ts";
import { securedAnswer, securedBytes, securedJson } from "./security-headers.ts";

export type ApiParts = {
  readonly operations: readonly VenueOperation[];
  readonly authenticate: Authenticate;
  readonly limits: ProcessLimits;
  /** Whether accounts and pairs were loaded. */
  readonly isReady: () => boolean;
  /** The message for all users but admins during maintenance. */
  readonly maintenance: () => Maintenance | undefined;
};

export type Maintenance = { readonly message: string };

/** An order with every field has 1 kB. */
const BODY_BYTES_MAX = 64 * 1024;

/**
 * Serves one request to the API. The checks are always in this order: other sites, limit per address, authentication,
 * permission, limit per caller, input by schema; then the operation runs.
 */
export async function serveOperation(
  operation: VenueOperation,
  request: ApiRequest,
  parts: ApiParts,
): Promise<Response> {
  const { headers } = request;
  const requestId = headers.get("x-request-id") ?? undefined;
  const refuse: Caller["refuse"] = (code, options) => problem(code, requestId, options);
  if (!parts.isReady()) return refuse("store_unavailable", { retryAfterSeconds: RETRY_AFTER_SECONDS });
  if (isFromAnotherSite(request)) return refuse("other_site_refused");
  const forwardedFor = headers.get("x-forwarded-for");
  const place = placeOf(forwardedFor, headers.get("user-agent"));
  const ofAddress = parts.limits.address.take(place.address);
  if (ofAddress.isOver) return refuse("rate_limited", limited(ofAddress));
  const body = await request.readBody(operation.body?.bytesMax ?? BODY_BYTES_MAX);
  if (!body.ok) return refuse("body_too_large");

  const received = { method: request.method, url: request.url, headers, body: body.value };
  const circumstances = { address: forwardedFor ?? undefined, submitsCommand: operation.submitsCommand === true };
  const known = operation.access === "public" ? ok(undefined) : await parts.authenticate(received, circumstances);
  if (!known.ok) return refuse(known.reason.code, authenticationOptions(known.reason));
  const identity = known.value;
  const barred = barrierOf(operation, identity, parts);
  if (barred !== undefined) return refuse(...barred);
  const ofCaller =
    identity === undefined ? ofAddress : takeOfCaller(parts.limits, operation.limit, limitedCaller(identity));
  if (ofCaller.isOver) return refuse("rate_limited", limited(ofCaller));

  const input = readInput(operation, {
    headers,
    params: request.params,
    query: queryOf(request.url),
    body: body.value,
  });
  if (!input.ok) {
    const { code, ...options } = input.reason;
    return refuse(code, { ...options, headers: ofCaller.headers });
  }
  const header = (name: string) => headers.get(name) ?? undefined;
  const isHttps = headers.get("x-forwarded-proto") === "https";
  const caller = callerOf({ identity, place, requestId, header, headers: ofCaller.headers, isHttps });
  const response = await operation.run(caller, input.value);
  assert(
    response.status >= 400 || !hasNonceLeft(identity),
    `${operation.id} submits its command with the nonce of a signed request`,
  );
  return response;
}

/** Whether the same request could be served again. */
function hasNonceLeft(identity: Identity | undefined): boolean {
  return identity !== undefined && "nonce" in identity && identity.nonce.isLeft();
}

function queryOf(url: string): string {
  const from = url.indexOf("?");
  return from === -1 ? "" : url.slice(from + 1);
}

/** Why an authenticated caller may not do this. */
function barrierOf(
  { access, permission, findsAdmins }: VenueOperation,
  identity: Identity | undefined,
  { maintenance }: ApiParts,
): readonly [ErrorCode, RefusalOptions?] | undefined {
  if (access === "admin" && identity?.user.role !== "admin") return ["not_allowed"];
  if (identity !== undefined && "apiKey" in identity && !hasPermission(identity.apiKey.permissions, permission))
    return ["permission_missing"];
  const underWork = identity?.user.role === "admin" || findsAdmins ? undefined : maintenance();
  return underWork === undefined ? undefined : ["venue_maintenance", maintenanceOptions(underWork)];
}

function hasPermission(held: readonly Permission[], needed: Permission | undefined): boolean {
  return needed !== undefined && held.includes(needed);
}

function limitedCaller(identity: Identity) {
  const userId = identity.user.id;
  return { userId, callerId: "apiKey" in identity ? identity.apiKey.id : userId };
}

/** RFC 9110 section 15.5.2: a 401 names a way to authenticate. */
const CHALLENGE = { "www-authenticate": 'Bearer realm="venue"' };

function problem(code: ErrorCode, requestId: string | undefined, options: RefusalOptions = {}): Response {
  const challenge = errorCatalogue[code].status === 401 ? CHALLENGE : {};
  return problemResponse(code, { ...withId(requestId), ...options, headers: { ...challenge, ...options.headers } });
}

function authenticationOptions(refusal: AuthenticationRefusal): RefusalOptions {
  if (refusal.code !== "timestamp_outside_window") return {};
  const { serverTimeMs: serverTime, driftMs } = refusal;
  const detail = `The server's time is ${serverTime}; your timestamp is ${Math.abs(driftMs)} ms ${driftMs > 0 ? "ahead" : "behind"}.`;
  return { detail, members: { serverTime, driftMs } };
}

const RETRY_AFTER_SECONDS = 1;

const MAINTENANCE_RETRY_SECONDS = 30;

export function maintenanceOptions({ message }: Maintenance): RefusalOptions {
  return { retryAfterSeconds: MAINTENANCE_RETRY_SECONDS, ...(message === "" ? {} : { detail: message }) };
}

type CallerFacts = Pick<Caller, "place" | "requestId" | "header"> & {
  readonly isHttps: boolean;
  readonly identity: Identity | undefined;
  /** The remaining limit, sent with every answer. */
  readonly headers: Readonly<Record<string, string>>;
};

function callerOf({ identity, place, requestId, header, headers, isHttps }: CallerFacts): Caller {
  return {
    identity,
    place,
    requestId,
    header,
    answer(status, body, more = {}) {
      const all = { "cache-control": "no-store", ...headers, ...more };
      return securedAnswer(body, { status, headers: all }, { isHttps });
    },
    answerJson: (body, more) => securedJson(body, { ...headers, ...more }, { isHttps }),
    answerBytes: (body, more) => securedBytes(body, { headers: { ...headers, ...more }, isHttps }),
    refuse: (code, options) => problem(code, requestId, { ...options, headers: { ...headers, ...options?.headers } }),
  };
}

function withId(requestId: string | undefined): { readonly requestId?: string } {
  return requestId === undefined ? {} : { requestId };
}

function limited({ retryAfterSeconds, headers }: LimitVerdict) {
  return { retryAfterSeconds, headers };
}

/** The edge sets the address; callers whose address it does not know count as one. */
function placeOf(forwardedFor: string | null, userAgent: string | null): Place {
  return { address: addressIdentity(forwardedFor ?? ""), userAgent: userAgent ?? "" };
}

/**
 * Whether a page of another site made a browser send this. No answer here depends on cookies, so such a request could
 * do nothing in the user's name; it is refused all the same, and no other site may read an answer: no CORS header is
 * ever sent.
 */
export function isFromAnotherSite(request: Asked): boolean {
  if (request.headers.get("sec-fetch-site") === "cross-site") return !isNavigation(request);
  const origin = request.headers.get("origin");
  if (origin === null) return false;
  const host = request.headers.get("x-forwarded-host") ?? request.headers.get("host");
  return !URL.canParse(origin) || new URL(origin).host !== host;
}

type Asked = { readonly method: string; readonly headers: Pick<Headers, "get"> };

/** A user follows a link to the documentation. */
function isNavigation(request: Asked): boolean {
  return request.method === "GET" && request.headers.get("sec-fetch-mode") === "navigate";
}
