import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { healthStatusCode } from "../../shared/health.ts";
import type { EdgeEnvironment, OriginAddress } from "../env.ts";
import { openStore } from "../store/open-store.ts";
import { checkParts } from "./check-parts.ts";
import { healthPage } from "./health-page.ts";

/** Nothing may run or load on the page, and no other site may frame it. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** `GET /_sluice/health`: 200 when every part answers, 503 with the names of those that do not; a page for people, JSON for the rest. */
export async function healthRoute(c: Context<EdgeEnvironment>): Promise<Response> {
  const { store, origin } = c.get("configuration");
  const report = await checkParts({ store: openStore(store), askOrigin: () => askOrigin(origin) });
  const status = healthStatusCode(report);
  c.header("cache-control", "no-store");
  c.header("vary", "accept");
  const wanted = accepts(c, { header: "Accept", supports: ["application/json", "text/html"], default: "application/json" });
  if (wanted !== "text/html") return c.json(report, status);
  c.header("content-security-policy", PAGE_POLICY);
  return c.html(healthPage(report), status);
}

/** The host name is of no account to a binding; the origin answers `/health` for any. */
function askOrigin(origin: OriginAddress): Promise<Response> {
  return origin.kind === "binding" ? origin.fetcher.fetch("http://origin/health") : fetch(`${origin.site}/health`);
}
