import type { Visit } from "../request/read-visit.ts";
import type { GateFacts, Wants } from "./decide.ts";

type Sent = {
  readonly method: string;
  /** As the client sent them. */
  readonly headers: Headers;
  /** The site that the request came to, as `https://shop.test`. */
  readonly site: string;
  readonly sameSite: "lax" | "none";
};

/**
 * See `GateFacts.asks`. Browsers send fetch metadata to https and to this machine. Without it (a program, an old
 * browser, plain http) Accept and Origin decide.
 */
export function asksOf(sent: Sent & { readonly wants: Wants }): GateFacts["asks"] {
  const { headers, wants } = sent;
  if (isPrefetch(headers)) return "part";
  const destination = headers.get("sec-fetch-dest");
  if (comesWithoutCookies(sent)) return destination === null || destination === "document" ? "otherSite" : "part";
  if (destination === null) return wants === "other" ? "part" : "visitor";
  if (!VISITED.has(destination) || headers.get("sec-fetch-mode") === "no-cors") return "part";
  // A program of another site could not read the answer.
  return isFromOtherSite(sent) && headers.get("sec-fetch-mode") !== "navigate" ? "part" : "visitor";
}

export function sentBy({ method, request, target }: Visit, sameSite: Sent["sameSite"]): Sent {
  return { method, headers: request.headers, site: target.site, sameSite };
}

/** Requests that can be a visit: a page, a frame, a script's fetch, a socket. Everything else is a part of a page. */
const VISITED: ReadonlySet<string> = new Set(["document", "iframe", "frame", "fencedframe", "empty", "websocket"]);

/**
 * Whether the browser leaves our cookies out although its visitor may have some: with SameSite=Lax they come along from
 * another site only where a person goes to the page itself, and not with what a form sends. Nothing may be given out
 * then that replaces what the visitor has.
 */
export function comesWithoutCookies(sent: Sent): boolean {
  if (sent.sameSite === "none" || !isFromOtherSite(sent)) return false;
  const { method, headers } = sent;
  const isSafe = method === "GET" || method === "HEAD";
  const destination = headers.get("sec-fetch-dest") ?? "document";
  return !(isSafe && destination === "document");
}

/** Programs send no Origin. Browsers send it with every form, and `null` where they keep it secret. */
export function isFromOtherSite({ headers, site, method }: Omit<Sent, "sameSite">): boolean {
  const told = headers.get("sec-fetch-site");
  if (told !== null) return told === "cross-site";
  const origin = headers.get("origin");
  return method !== "GET" && method !== "HEAD" && origin !== null && origin.toLowerCase() !== site.toLowerCase();
}

/** A prefetch: the visitor may never go there. */
function isPrefetch(headers: Headers): boolean {
  return PREFETCH.test(headers.get("sec-purpose") ?? headers.get("purpose") ?? headers.get("x-moz") ?? "");
}

const PREFETCH = /\bprefetch\b/i;
