import type { Wants } from "./decide.ts";

type Asked = Pick<Request, "method" | "headers">;

/** The kind of answer that the client can use: see `Wants`. Only a person who navigates gets a page. */
export function wantsOf({ method, headers }: Asked): Wants {
  if (method === "OPTIONS") return "preflight";
  const wanted = wantedType(headers);
  if (method === "GET" || method === "HEAD") return headers.has("upgrade") ? "action" : wanted;
  return method === "POST" && wanted === "page" && headers.get("sec-fetch-mode") === "navigate" ? "form" : "action";
}

type Range = { readonly type: string; readonly quality: number };

/** No real client sends more ranges. */
const RANGES_MAX = 30;
const RANGE = /^([\w!#$&^.+*-]+\/[\w!#$&^.+*-]+)\s*(?:;|$)/;
const QUALITY = /;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)/;
const OFFERS: Readonly<Record<string, "page" | "json">> = {
  "text/html": "page",
  "application/xhtml+xml": "page",
  "application/json": "json",
};
const ANYTHING = "*/*";

/**
 * RFC 9110, 12.5.1. A client that names HTML or JSON gets the better of the two. One that names neither and accepts
 * anything (curl, a library) gets JSON; one that wants something else (a picture, a style sheet) gets a short problem.
 */
function wantedType(headers: Headers): "page" | "json" | "other" {
  const ranges = readRanges(headers.get("accept") ?? ANYTHING);
  const named = ranges.find(({ type, quality }) => type in OFFERS && quality > 0);
  if (named !== undefined) return OFFERS[named.type] ?? "other";
  const [best] = ranges;
  if (best?.type === "text/*") return "page";
  if (best?.type === "application/*") return "json";
  return best === undefined || best.type === ANYTHING ? unspoken(headers, ranges) : "other";
}

/** The best first; of two that are as good, the one that was named first. */
function readRanges(accept: string): readonly Range[] {
  return accept
    .toLowerCase()
    .split(",", RANGES_MAX)
    .flatMap((text) => {
      const type = RANGE.exec(text.trim())?.[1];
      const quality = text.includes(";") ? (QUALITY.exec(text)?.[1] ?? "1") : "1";
      return type === undefined ? [] : [{ type, quality: Number(quality) }];
    })
    .toSorted((one, other) => other.quality - one.quality);
}

/** A browser says in another way whether a person, a script or a picture is asking. */
function unspoken(headers: Headers, ranges: readonly Range[]): "page" | "json" | "other" {
  const isRefused = (type: string) => ranges.some((range) => range.type === type && range.quality === 0);
  const wanted = BY_DESTINATION[headers.get("sec-fetch-dest") ?? "empty"] ?? "other";
  return (wanted === "page" && isRefused("text/html")) || (wanted === "json" && isRefused("application/json"))
    ? "other"
    : wanted;
}

const BY_DESTINATION: Readonly<Record<string, "page" | "json">> = {
  document: "page",
  iframe: "page",
  frame: "page",
  empty: "json",
};
