import { fail, ok, type Result } from "../../shared/result.ts";

/** The edge's own headers for the origin, from facts that the platform vouches for. */
export type ForwardingFacts = {
  readonly requestId: string;
  readonly host: string;
  readonly protocol: "http" | "https";
  readonly clientAddress: string | undefined;
};

export type HeadersFault = "request_ambiguous" | "headers_too_large";

/**
 * Browsers send two or three dozen. Some servers drop what comes after the first few hundred, and the edge's own come
 * last.
 */
const NAMES_MAX = 100;

/** At most a petabyte: a larger number does not fit into what servers count with. */
const LENGTH = /^\d{1,15}$/;

/**
 * The headers for the origin: the client's without the guarded ones and without those named in Connection, then the
 * edge's own, so that nothing a client sends can remove or replace them.
 *
 * A client may make one of its own headers hop-by-hop by naming it in Connection. A standard field cannot become one:
 * `Connection: cookie` or `Connection: content-length` can only be meant to make two servers read one request
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

/**
 * False when the header makes the whole request ambiguous. The one guarded header that passes is an upgrade to
 * WebSocket.
 */
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

/**
 * Header names that a client may not send to the origin, whatever their value. The origin would believe them: they say
 * who the client is, which URL was asked for, or they are ours. The edge sets those it vouches for itself afterwards.
 */
export function isGuardedName(lowerCaseName: string): boolean {
  const known = verdicts.get(lowerCaseName);
  if (known !== undefined) return known;
  const verdict = judge(lowerCaseName);
  if (verdicts.size < VERDICTS_MAX && lowerCaseName.length <= NAME_LENGTH_MAX) verdicts.set(lowerCaseName, verdict);
  return verdict;
}

/**
 * Clients use the same two dozen names over and over. The bounds keep a flood of invented names from filling the
 * memory.
 */
const verdicts = new Map<string, boolean>();
const VERDICTS_MAX = 500;
const NAME_LENGTH_MAX = 60;

/**
 * Many servers turn `-` into `_` on the way to the application, so that `x_sluice_pass` would arrive as
 * `x-sluice-pass`.
 */
function judge(name: string): boolean {
  const dashed = name.replaceAll("_", "-");
  return (
    HOP_BY_HOP.has(dashed) ||
    ABOUT_THE_CLIENT.has(dashed) ||
    GUARDED_PREFIXES.some((prefix) => dashed.startsWith(prefix))
  );
}

/** RFC 9110, 7.6.1, and the names of older practice. They speak about one connection and end with it. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  // A CGI application would take it for the HTTP_PROXY of its environment.
  "proxy",
  // The edge answers the expectation, because its HTTP client cannot pass a 100 back.
  "expect",
]);

const ABOUT_THE_CLIENT: ReadonlySet<string> = new Set([
  "cdn-loop",
  "client-ip",
  "fastly-client-ip",
  "fastly-ssl",
  "forwarded",
  "front-end-https",
  "remote-addr",
  "true-client-ip",
  "via",
  "wl-proxy-client-ip",
  "x-azure-clientip",
  "x-azure-socketip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-host",
  "x-http-destinationurl",
  "x-http-host-override",
  "x-proxyuser-ip",
  "x-real-ip",
  "x-remote-addr",
  "x-remote-ip",
  "x-request-id",
  "x-rewrite-url",
  "x-url-scheme",
]);

const GUARDED_PREFIXES: readonly string[] = [
  "x-sluice-",
  "x-forward",
  "x-original-",
  "x-envoy-",
  "cf-",
  "proxy-",
  "x-proxy-",
];
