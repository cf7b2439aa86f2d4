import { type Context, Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { assert } from "../../shared/assert.ts";
import { type ErrorCode, errorCatalogue, problemResponse } from "../../shared/errors.ts";
import { addressIdentity } from "../../shared/ip-address.ts";
import { ok } from "../../shared/result.ts";
import type { AdmissionVariables } from "../admission/admission.ts";
import type { Permission } from "../api-keys/key-queries.ts";
import type { Place } from "../identity/accounts.ts";
import type { ProcessLimits } from "../limits/process-limits.ts";
import type { Authenticate, AuthenticationRefusal } from "./authenticate.ts";
import type { Caller, Identity, RefusalOptions, VenueOperation } from "./operation.ts";
import { isFromAnotherSite } from "./other-site.ts";
import { readBody } from "./read-body.ts";
import { readInput } from "./read-input.ts";
import { addSecurityHeaders, securedAnswer } from "./security-headers.ts";

type Environment = { Variables: AdmissionVariables };

type ApiParts = {
  readonly operations: readonly VenueOperation[];
  readonly authenticate: Authenticate;
  readonly limits: ProcessLimits;
  /** Whether it is known who has an account, and what is traded. */
  readonly isReady: () => boolean;
  /** What everybody but admins is told while the venue is being worked on. */
  readonly maintenance: () => Maintenance | undefined;
};

export type Maintenance = { readonly message: string };

/**
 * The venue's API under `/api/v1`. Each request goes the same way: not from another site, not too often from one address, by
 * somebody we know where that is asked for, who may do it, not too often, with input that its schemas take; only then it runs.
 */
export function apiRoutes(parts: ApiParts): Hono<Environment> {
  const routes = new Hono<Environment>();
  routes.use(async (c, next) => {
    await next();
    addSecurityHeaders(c.res, { isHttps: isHttps(c.req.raw) });
  });
  routes.use(methodNotAllowed({ app: routes, onMethodNotAllowed: refuseMethod }));
  for (const operation of parts.operations) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    routes.on(operation.method.toUpperCase(), path, (c) => serve(c, operation, parts));
  }
  return routes;
}

async function serve(c: Context<Environment>, operation: VenueOperation, parts: ApiParts): Promise<Response> {
  const requestId = c.req.header("x-request-id");
  const refuse: Caller["refuse"] = (code, options) => problem(code, requestId, options);
  if (!parts.isReady()) return refuse("store_unavailable", { retryAfterSeconds: RETRY_AFTER_SECONDS });
  if (isFromAnotherSite(c.req.raw)) return refuse("other_site_refused");
  const place = placeOf(c);
  const ofAddress = parts.limits.address.take(place.address);
  if (ofAddress.isOver) return refuse("rate_limited", limited(ofAddress));
  const body = await readBody(c.req.raw, operation.body?.bytesMax);
  if (!body.ok) return refuse("body_too_large");

  const { headers } = c.req.raw;
  const received = { method: c.req.method, url: c.req.url, headers, body: body.value };
  const circumstances = { address: c.req.header("x-forwarded-for"), submitsCommand: operation.submitsCommand === true };
  const known = operation.access === "public" ? ok(undefined) : await parts.authenticate(received, circumstances);
  if (!known.ok) return refuse(known.reason.code, authenticationOptions(known.reason));
  const identity = known.value;
  const barred = barrierOf(operation, identity, parts);
  if (barred !== undefined) return refuse(...barred);
  const ofCaller = identity === undefined ? ofAddress : parts.limits[operation.limit].take(limitIdentity(identity));
  if (ofCaller.isOver) return refuse("rate_limited", limited(ofCaller));

  const input = readInput(operation, { headers, params: c.req.param(), queries: c.req.queries(), body: body.value });
  if (!input.ok) {
    const { code, ...options } = input.reason;
    return refuse(code, { ...options, headers: ofCaller.headers });
  }
  const header = (name: string) => headers.get(name) ?? undefined;
  const facts = { identity, place, requestId, header, headers: ofCaller.headers, isHttps: isHttps(c.req.raw) };
  const response = await operation.run(callerOf(facts), input.value);
  assert(response.status >= 400 || !hasNonceLeft(identity), `${operation.id} submits its command with the nonce of a signed request`);
  return response;
}

/** The same request could be served again. */
function hasNonceLeft(identity: Identity | undefined): boolean {
  return identity !== undefined && "nonce" in identity && identity.nonce.isLeft();
}

/** Why somebody we know may not do this. */
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

function limitIdentity(identity: Identity): string {
  return "apiKey" in identity ? identity.apiKey.id : identity.user.id;
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
  const detail = `The time here is ${serverTime}; yours is ${Math.abs(driftMs)} ms ${driftMs > 0 ? "ahead" : "behind"}.`;
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
  /** How much more may be asked; every answer says so. */
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
    refuse: (code, options) => problem(code, requestId, { ...options, headers: { ...headers, ...options?.headers } }),
  };
}

const isHttps = ({ headers }: Request) => headers.get("x-forwarded-proto") === "https";

function withId(requestId: string | undefined): { readonly requestId?: string } {
  return requestId === undefined ? {} : { requestId };
}

function limited({
  retryAfterSeconds,
  headers,
}: {
  readonly retryAfterSeconds: number;
  readonly headers: Readonly<Record<string, string>>;
}) {
  return { retryAfterSeconds, headers };
}

/** The edge vouches for the address; where it does not know one, all such callers count as one. */
function placeOf(c: Context): Place {
  return { address: addressIdentity(c.req.header("x-forwarded-for") ?? ""), userAgent: c.req.header("user-agent") ?? "" };
}

function refuseMethod(c: Context, methods: readonly string[]): Response {
  return problemResponse("method_not_allowed", { ...withId(c.req.header("x-request-id")), headers: { allow: methods.join(", ") } });
}
