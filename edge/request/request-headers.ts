import { fail, ok, type Result } from "../../shared/result.ts";
import { isGuardedName } from "./guarded-names.ts";

/** What the edge tells the origin about a request, from what the platform vouches for. */
export type ForwardingFacts = {
  readonly requestId: string;
  readonly host: string;
  readonly protocol: "http" | "https";
  readonly clientAddress: string | undefined;
};

export type HeadersFault = "request_ambiguous" | "headers_too_large";

/** Browsers send two or three dozen. Some servers drop what comes after the first few hundred, and the edge's own come last. */
const NAMES_MAX = 100;

/** At most a petabyte: a larger number does not fit into what servers count with. */
const LENGTH = /^\d{1,15}$/;

/**
 * The headers that reach the origin: the client's own without the guarded ones and without those named in Connection,
 * and then what the edge itself says, so that nothing a client sends can remove or replace it.
 *
 * A client may make a header of its own hop-by-hop by naming it in Connection. A field of the standards cannot become
 * one: `Connection: cookie` or `Connection: content-length` can only be meant to make two servers read one request
 * differently, so it is refused (RFC 9110, 7.6.1: a sender must not list a field that is for all recipients).
 */
export function requestHeaders(sent: Headers, facts: ForwardingFacts): Result<Headers, HeadersFault> {
  const headers = new Headers(sent);
  let framings = 0;
  // Spread: the runtime hands out all names in one go, for less than one by one.
  const names = [...sent.keys()];
  if (names.length > NAMES_MAX) return fail("headers_too_large");
  for (const name of names) {
    if (name === "content-length" || name === "transfer-encoding") framings++;
    if (name === "content-length" && !LENGTH.test(sent.get(name) ?? "")) return fail("request_ambiguous");
    if (name === "cookie") joinCookies(headers);
    else if (isGuardedName(name) && !dropGuarded(headers, name)) return fail("request_ambiguous");
  }
  // RFC 9112, 6.3: with both, servers disagree on where the body ends, and what follows becomes a second request.
  if (framings > 1) return fail("request_ambiguous");
  setFacts(headers, facts);
  return ok(headers);
}

/** False when the header makes the whole request ambiguous. The one guarded header that passes is an upgrade to WebSocket. */
function dropGuarded(headers: Headers, name: string): boolean {
  if (name === "connection" && !removeNamedInConnection(headers)) return false;
  if (name === "transfer-encoding" && headers.get(name)?.toLowerCase() !== "chunked") return false;
  const isKept = name === "upgrade" && headers.get(name)?.toLowerCase() === "websocket";
  if (!isKept) headers.delete(name);
  return true;
}

function setFacts(headers: Headers, { requestId, host, protocol, clientAddress }: ForwardingFacts): void {
  headers.set("x-request-id", requestId);
  headers.set("x-forwarded-host", host);
  headers.set("x-forwarded-proto", protocol);
  if (clientAddress !== undefined) headers.set("x-forwarded-for", clientAddress);
}

const NAMES_NOBODY: ReadonlySet<string> = new Set(["keep-alive", "close", "Keep-Alive", "Close", "upgrade", "Upgrade"]);

function removeNamedInConnection(headers: Headers): boolean {
  const value = headers.get("connection") ?? "";
  if (NAMES_NOBODY.has(value)) return true;
  const names = value.split(",", CONNECTION_NAMES_MAX + 1).map((name) => name.trim().toLowerCase());
  if (names.length > CONNECTION_NAMES_MAX || !names.every(mayBeNamedInConnection)) return false;
  for (const name of names) if (name !== "" && name !== "upgrade") headers.delete(name);
  return true;
}

/** Real requests name one to three. */
const CONNECTION_NAMES_MAX = 16;
const HEADER_NAME = /^[!#$%&'*+\-.^`|~\w]*$/;

function mayBeNamedInConnection(name: string): boolean {
  return HEADER_NAME.test(name) && !END_TO_END.test(name);
}

/** Fields that are for the origin by their standard, or that decide what a request means. */
const END_TO_END =
  /^(?:host|cookie2?|authorization|origin|referer|user-agent|range|date|from|pragma|cache-control|accept(?:-.*)?|content-.*|if-.*|sec-.*|access-control-.*|max-forwards|idempotency-key|upgrade-insecure-requests)$/;

const NEXT_COOKIE_LINE = /, (?=[!#$%&'*+\-.^`|~\w]+=)/g;

/**
 * The runtime joins two Cookie lines with a comma, as it does for every other header, and the second cookie would be
 * lost inside the first one's value. RFC 9113, 8.2.3 joins them with a semicolon.
 */
function joinCookies(headers: Headers): void {
  const value = headers.get("cookie");
  if (value?.includes(", ")) headers.set("cookie", value.replace(NEXT_COOKIE_LINE, "; "));
}
