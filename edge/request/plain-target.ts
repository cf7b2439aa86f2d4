import { fail, ok, type Result } from "../../shared/result.ts";

/** Where a request goes, in the spelling that the gate decides on and the origin receives. */
export type PlainTarget = {
  /** Scheme and authority as the runtime handed them over: `http://shop.example`. */
  readonly site: string;
  /** The authority only, as the client sent it in Host. */
  readonly host: string;
  readonly protocol: "http" | "https";
  readonly path: string;
  /** With its question mark, or empty. Byte for byte what the client sent, unless that was not ASCII. */
  readonly query: string;
  /** Whether the client's own spelling was the plain one. */
  readonly isAsSent: boolean;
  /** Whether the platform's URL parser gives site, path and query back unchanged, so that they may travel as text. */
  readonly isStable: boolean;
};

export type TargetFault = PathFault | "query_character" | "site" | "too_long";

/** Path and query. Longer targets come from an attacker or a bug, and most servers stop at 8 to 16 KiB too. */
export const TARGET_LENGTH_MAX = 8_192;

/**
 * Splits the raw URL by hand: `new URL()` would resolve, encode and lower-case before we have seen what was sent.
 * A pure function of the text; the last answer is kept because routing and forwarding both ask for it in one request.
 */
export function plainTarget(url: string): Result<PlainTarget, TargetFault> {
  if (url !== lastUrl) {
    lastTarget = readTarget(url);
    lastUrl = url;
  }
  return lastTarget;
}

let lastUrl = "";
let lastTarget: Result<PlainTarget, TargetFault> = fail("site");

function readTarget(url: string): Result<PlainTarget, TargetFault> {
  const hostStart = url.indexOf("://") + "://".length;
  const pathStart = url.indexOf("/", hostStart);
  if (pathStart === -1) return fail("not_absolute");
  if (url.length - pathStart > TARGET_LENGTH_MAX) return fail("too_long");
  const site = url.slice(0, pathStart);
  if (!isSite(site)) return fail("site");
  const queryStart = url.indexOf("?", pathStart);
  const rawPath = queryStart === -1 ? url.slice(pathStart) : url.slice(pathStart, queryStart);
  const path = normalisePath(rawPath);
  if (!path.ok) return path;
  const rawQuery = queryStart === -1 ? "" : url.slice(queryStart);
  if (QUERY_REFUSED.test(rawQuery)) return fail("query_character");
  const query = NOT_ASCII.test(rawQuery) ? rawQuery.replace(NOT_ASCII_RUN, encodeURIComponent) : rawQuery;
  if (path.value.length + query.length > TARGET_LENGTH_MAX) return fail("too_long");
  const isAsSent = path.value === rawPath && query === rawQuery;
  const isStable = lastSiteIsStable && !QUERY_REWRITTEN.test(query);
  const protocol = site.startsWith("https:") ? "https" : "http";
  return ok({ site, host: site.slice(hostStart), protocol, path: path.value, query, isAsSent, isStable });
}

/** The same target under the protocol and host that the visitor used, where a trusted proxy reports them. */
export function targetAt(
  target: PlainTarget,
  {
    protocol = target.protocol,
    host = target.host,
  }: { readonly protocol: PlainTarget["protocol"] | undefined; readonly host: string | undefined },
): Result<PlainTarget, "site"> {
  if (protocol === target.protocol && host === target.host) return ok(target);
  const site = `${protocol}://${host}`;
  if (!isSite(site)) return fail("site");
  return ok({
    ...target,
    site,
    host,
    protocol,
    // The original request names the old host.
    isAsSent: target.isAsSent && host === target.host,
    isStable: lastSiteIsStable && !QUERY_REWRITTEN.test(target.query),
  });
}

/** Control characters, a space, a fragment, and U+FFFD, which stands for bytes that were not UTF-8 and so are lost. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const QUERY_REFUSED = /[\u0000-\u0020\u007F#\uFFFD\uD800-\uDFFF]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them.
const NOT_ASCII = /[^\u0000-\u007F]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them.
const NOT_ASCII_RUN = /[^\u0000-\u007F]+/g;

/** Characters of a query that a URL parser would escape. */
const QUERY_REWRITTEN = /['"<>]/;

let lastSite = "";
let lastSiteIsStable = false;

/**
 * A host that URL parsers refuse cannot be forwarded. Nearly all requests name the same one, so the last good one is
 * kept.
 */
function isSite(site: string): boolean {
  if (site === lastSite) return true;
  if (!URL.canParse(site)) return false;
  lastSite = site;
  lastSiteIsStable = new URL(site).origin === site;
  return true;
}

export type PathFault =
  | "not_absolute"
  | "bytes_lost"
  | "control_character"
  | "backslash"
  | "parameter"
  | "fragment"
  | "invalid_escape"
  | "invalid_utf8"
  | "encoded_separator"
  | "encoded_twice"
  | "dot_segment"
  | "empty_segment";

/**
 * Brings a path into the one spelling that the gate decides on and the origin receives, so that both read the same
 * address. A spelling that servers read in different ways is refused and never repaired: a repaired path is a guess.
 * The result is a fixed point: normalising it again changes nothing.
 */
export function normalisePath(raw: string): Result<string, PathFault> {
  if (PLAIN_PATH.test(raw)) return ok(raw);
  const fault = RAW_FAULTS.find(({ pattern }) => pattern.test(raw));
  if (fault !== undefined) return fail(fault.reason);
  const escaped = raw.replace(MUST_BE_ENCODED, encodeURIComponent);
  if (!hasValidUtf8(escaped)) return fail("invalid_utf8");
  const path = escaped.replace(ESCAPE, plainEscape);
  const remaining = NORMALISED_FAULTS.find(({ pattern }) => pattern.test(path));
  return remaining === undefined ? ok(path) : fail(remaining.reason);
}

/**
 * Segments of characters that RFC 3986 allows as they are, but `;`; none of them empty, `.` or `..`. Most requests end
 * here.
 */
const PLAIN_PATH = /^(?=\/)(?:\/(?!\.\.?(?:\/|$))[\w.~!$&'()*+,=:@-]+)*\/?$/;

type Rule<Reason> = { readonly reason: Reason; readonly pattern: RegExp };

const RAW_FAULTS: readonly Rule<PathFault>[] = [
  { reason: "not_absolute", pattern: /^(?!\/)/ },
  // The runtime replaces bytes that are not UTF-8 by U+FFFD, so the original bytes are unknown.
  { reason: "bytes_lost", pattern: /[\uFFFD\uD800-\uDFFF]/u },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  { reason: "control_character", pattern: /[\u0000-\u0020\u007F]|%[01][0-9A-Fa-f]|%7[Ff]/ },
  // Windows servers and browsers read a backslash as a slash.
  { reason: "backslash", pattern: /\\|%5[Cc]/ },
  // Some servers end a segment at `;` and some do not: `/trade;x/y` would be two different paths.
  { reason: "parameter", pattern: /;/ },
  { reason: "fragment", pattern: /[#?]/ },
  { reason: "invalid_escape", pattern: /%(?![0-9A-Fa-f]{2})/ },
  { reason: "encoded_separator", pattern: /%2[Ff]/ },
];

const NORMALISED_FAULTS: readonly Rule<PathFault>[] = [
  // A server that decodes twice would find one of the characters refused above, or an overlong spelling of one.
  {
    reason: "encoded_twice",
    pattern: /%25(?:2[EeFf5]|3[Bb]|5[Cc]|[01][0-9A-Fa-f]|7[Ff]|[Cc][01]|[Ee]0%25[89]|[Ff]0%258)/,
  },
  { reason: "dot_segment", pattern: /\/\.\.?(?:\/|$)/ },
  { reason: "empty_segment", pattern: /\/\// },
];

const ESCAPE = /%[0-9A-Fa-f]{2}/g;
const ESCAPE_RUN = /(?:%[0-9A-Fa-f]{2})+/g;
const HIGH_ESCAPE = /%[89A-Fa-f]/;
const MUST_BE_ENCODED = /[^\w.~!$&'()*+,=:@/%-]/gu;
const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * RFC 3986, 6.2.2: an escaped unreserved character is the character itself; the hex digits of other escapes are
 * capitals.
 */
function plainEscape(triplet: string): string {
  const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
  return UNRESERVED.test(character) ? character : triplet.toUpperCase();
}

/** The decoder also refuses overlong forms and surrogates. Each run of escapes must be complete. */
function hasValidUtf8(escaped: string): boolean {
  if (!HIGH_ESCAPE.test(escaped)) return true;
  return [...escaped.matchAll(ESCAPE_RUN)].every(([run]) => isDecodable(run));
}

function isDecodable(escapes: string): boolean {
  try {
    decodeURIComponent(escapes);
    return true;
  } catch {
    return false;
  }
}
