import { type Context, Hono } from "hono";
import { problemResponse } from "../shared/errors.ts";
import { newId, systemRandom } from "../shared/ids.ts";
import { adminRoutes } from "./admin/admin-routes.ts";
import { openApiRoute } from "./admin/openapi/openapi-route.ts";
import { consoleRoutes } from "./console/console-routes.ts";
import type { EdgeEnvironment } from "./env.ts";
import { healthRoute } from "./health/health-route.ts";
import { log } from "./log.ts";
import { metricsRoute } from "./metrics/metrics-route.ts";
import type { Platform } from "./platform.ts";
import { ownRoute } from "./proxy/own-route.ts";
import { routePath } from "./proxy/read-visit.ts";
import { drawRoute } from "./visitor/draw-route.ts";
import { enterRoute } from "./visitor/enter-route.ts";
import { heartbeatRoute } from "./visitor/heartbeat-route.ts";
import { jwksRoute } from "./visitor/jwks-route.ts";
import { leaveOnCloseRoute } from "./visitor/leave-on-close.ts";
import { leaveRoute } from "./visitor/leave-route.ts";
import { notFound } from "./visitor/not-found.ts";
import { protectedRoute } from "./visitor/protected-route.ts";
import { queueRoute } from "./visitor/queue-route.ts";

/**
 * What a visitor meets, in this order. Routes are matched against the path that was normalised once, not against
 * Hono's own reading of the URL, so that the gate and the origin never mean different addresses. What does not
 * normalise matches only the last route, where it is refused.
 */
export function createApp(platform: Platform): Hono<EdgeEnvironment> {
  const app = new Hono<EdgeEnvironment>({ getPath: routePath });

  app.use("/_sluice/*", ownRoute);
  app.get("/_sluice/health", healthRoute());
  app.get("/_sluice/metrics", metricsRoute);
  app.get("/_sluice/jwks.json", jwksRoute);
  app.get("/_sluice/openapi.json", openApiRoute);
  app.get("/_sluice/queues/:id", queueRoute(platform));
  app.get("/_sluice/queues/:id/draw", drawRoute(platform));
  app.get("/_sluice/queues/:id/leave-on-close.js", leaveOnCloseRoute);
  app.post("/_sluice/queues/:id/enter", enterRoute(platform));
  app.post("/_sluice/queues/:id/heartbeat", heartbeatRoute(platform));
  app.post("/_sluice/queues/:id/leave", leaveRoute(platform));
  app.route("/_sluice/admin", adminRoutes(platform));
  app.route("/_sluice/console", consoleRoutes());
  app.all("/_sluice/*", notFound);

  app.all("*", protectedRoute(platform));

  app.onError(onError);
  return app;
}

/** A bug of ours ends the request here. It is never forwarded: what was not understood must not reach the origin. */
function onError(error: Error, c: Context<EdgeEnvironment>): Response {
  const requestId = c.var.visit?.requestId ?? newId(systemRandom);
  log("error", "a request failed inside the edge", { requestId, error });
  return problemResponse("internal_error", { requestId });
}
