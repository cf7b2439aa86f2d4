import { Hono } from "hono";
import { problemResponse } from "../shared/errors.ts";
import { newId, systemRandom } from "../shared/ids.ts";
import type { EdgeEnvironment } from "./env.ts";
import { healthRoute } from "./health/health-route.ts";
import { log } from "./log.ts";
import { originRoute } from "./proxy/origin-route.ts";
import { ownRoute } from "./proxy/own-route.ts";
import { routePath } from "./proxy/read-visit.ts";

/**
 * What a visitor meets, in this order. Routes are matched against the path that was normalised once, not against
 * Hono's own reading of the URL, so that the gate and the origin never mean different addresses. What does not
 * normalise matches only the last route, where it is refused.
 */
export const app = new Hono<EdgeEnvironment>({ getPath: routePath });

app.use("/_sluice/*", ownRoute);
app.get("/_sluice/health", healthRoute);
app.all("/_sluice/*", (c) => problemResponse("not_found", { requestId: c.var.visit.requestId }));

app.all("*", originRoute);

/** A bug of ours ends the request here. It is never forwarded: what was not understood must not reach the origin. */
app.onError((error, c) => {
  const requestId = c.var.visit?.requestId ?? newId(systemRandom);
  log("error", "a request failed inside the edge", { requestId, error });
  return problemResponse("internal_error", { requestId });
});
