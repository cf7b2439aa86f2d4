import { Hono } from "hono";
import { problemResponse } from "../shared/errors.ts";
import { newId, systemRandom } from "../shared/ids.ts";
import type { EdgeEnvironment } from "./env.ts";
import { healthRoute } from "./health/health-route.ts";
import { log } from "./log.ts";
import { admit, routePath } from "./proxy/admit.ts";
import { forward } from "./proxy/forward.ts";
import { nameRequest } from "./proxy/name-request.ts";

/**
 * What a visitor meets, in this order. Routes are matched against the path that was normalised once, not against
 * Hono's own reading of the URL, so that the gate and the origin never mean different addresses.
 */
export const app = new Hono<EdgeEnvironment>({ getPath: routePath });

app.use(admit);
app.use("/_sluice/*", nameRequest);
app.get("/_sluice/health", healthRoute);
app.all("/_sluice/*", (c) => problemResponse("not_found", { requestId: c.var.visit.requestId }));
app.all("*", (c) => forward(c.var.visit));

app.onError((error, c) => {
  const requestId = c.var.visit?.requestId ?? newId(systemRandom);
  log("error", "a request failed inside the edge", { requestId, error });
  return problemResponse("internal_error", { requestId });
});
