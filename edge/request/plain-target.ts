import { fail, ok, type Result } from "../../shared/result.ts";
import { normalisePath, type PathFault } from "./normalise-path.ts";

/** Where a request goes, in the spelling that the gate decides on and the origin receives. */
export type PlainTarget = {
  /** Scheme and authority as the runtime handed them over: `http://shop.example`. */
  readonly site: string;
  /** The authority alone, as the client sent it in Host. */
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

/** Path and query. What is longer comes from an attacker or a bug, and servers behind us stop at 8 to 16 KiB too. */
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
    // What travels inside the request that it came in names the old host.
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

/** What a URL parser writes as an escape in a query although it is sent as it is. */
const QUERY_REWRITTEN = /['"<>]/;

let lastSite = "";
let lastSiteIsStable = false;

/** A host that URL parsers refuse cannot be forwarded. Nearly all requests name the same one, so the last good one is kept. */
function isSite(site: string): boolean {
  if (site === lastSite) return true;
  if (!URL.canParse(site)) return false;
  lastSite = site;
  lastSiteIsStable = new URL(site).origin === site;
  return true;
}
