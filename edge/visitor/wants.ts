import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type { EdgeEnvironment } from "../env.ts";
import type { Wants } from "../gate/decide.ts";

/** What the client can do with an answer: see `Wants`. Only a request that a person navigates with gets a page. */
export function wantsOf(c: Context<EdgeEnvironment>): Wants {
  const { method, headers } = c.req.raw;
  if (method === "OPTIONS") return "preflight";
  if ((method !== "GET" && method !== "HEAD") || headers.has("upgrade")) return "action";
  return accepts(c, { header: "Accept", supports: ["text/html", "application/json"], default: unspoken(headers) }) === "text/html"
    ? "page"
    : "json";
}

/** `Accept: *` says nothing; a browser then says in another way whether a script or a person is asking. */
function unspoken(headers: Headers): "text/html" | "application/json" {
  return headers.get("sec-fetch-dest") === "empty" ? "application/json" : "text/html";
}
