import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { systemClock } from "../../../shared/clock.ts";
import { problemResponse } from "../../../shared/http/errors.ts";
import { healthStatusCode, withoutDetails } from "../../../shared/http/health.ts";
import { createLimit } from "../../../shared/http/limit.ts";
import { addressIdentity } from "../../../shared/net/ip-address.ts";
import { gateOfIsolate } from "../../admit/open-gate.ts";
import type { EdgeEnvironment, OriginAddress } from "../../request/env.ts";
import type { Visit } from "../../request/read-visit.ts";
import { openStore } from "../../store/open-store.ts";
import { recogniseOperator } from "../admin/operator-token.ts";
import { sessionOfPage } from "../console/console-call.ts";
import { CONSOLE_KEY_HEADER } from "../console/console-key-header.ts";
import { checkParts } from "./check-parts.ts";
import { healthPage } from "./health-page.ts";
import { createRecentReport } from "./recent-report.ts";

/** Nothing may run or load on the page, and no other site may frame it. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** More than any monitor, and than `npm start` while it waits. */
const CALLS_PER_ADDRESS = { perSecond: 20, burst: 200 };

/**
 * `GET /_sluice/health`: 200 when every part answers, 503 with the names of those that do not; a page for people, JSON
 * for programs. It is public, so the parts are checked once a second at most, each address is limited, and details are
 * for operators.
 */
export function healthRoute() {
  const recentReport = createRecentReport(systemClock);
  const limit = createLimit({ name: "health", ...CALLS_PER_ADDRESS, clock: systemClock });

  return async (c: Context<EdgeEnvironment>): Promise<Response> => {
    const { visit, configuration } = c.var;
    const { isOver, ...whenOver } = limit.take(addressIdentity(visit.clientAddress ?? ""));
    if (isOver) return problemResponse("rate_limited", { requestId: visit.requestId, ...whenOver });
    const { store, origin } = configuration;
    const whole = await recentReport(() => checkParts({ store: openStore(store), askOrigin: () => askOrigin(origin) }));
    const report = (await isOperator(visit)) ? whole : withoutDetails(whole);
    const status = healthStatusCode(report);
    c.header("cache-control", "no-store");
    c.header("vary", "accept, authorization, cookie");
    const wanted = accepts(c, {
      header: "Accept",
      supports: ["application/json", "text/html"],
      default: "application/json",
    });
    if (wanted !== "text/html") return c.json(report, status);
    c.header("content-security-policy", PAGE_POLICY);
    return c.html(healthPage(report), status);
  };
}

/** The host name is of no account to a binding; the origin answers `/health` for any. */
function askOrigin(origin: OriginAddress): Promise<Response> {
  return origin.kind === "binding" ? origin.fetcher.fetch("http://origin/health") : fetch(`${origin.site}/health`);
}

const BEARER = /^bearer /i;

/**
 * An operator's token, a call of the console, or a page that a signed-in operator opens. Other clients are not refused
 * here; tries with a wrong token count as everywhere.
 */
async function isOperator(visit: Visit): Promise<boolean> {
  const { headers } = visit.request;
  if (BEARER.test(headers.get("authorization") ?? "") || headers.has(CONSOLE_KEY_HEADER)) {
    const gate = await gateOfIsolate(visit.configuration);
    return gate.ok && (await recogniseOperator(visit, gate.value.limits.admin)).ok;
  }
  return (await sessionOfPage(visit)) !== undefined;
}
