import { type Context, Hono } from "hono";
import { problemResponse } from "../shared/http/errors.ts";
import { newId, systemRandom } from "../shared/ids.ts";
import { drawRoute } from "./admit/doors/draw-route.ts";
import { enterRoute } from "./admit/doors/enter-route.ts";
import { heartbeatRoute } from "./admit/doors/heartbeat-route.ts";
import { jwksRoute } from "./admit/doors/jwks-route.ts";
import { leaveOnCloseRoute } from "./admit/doors/leave-on-close.ts";
import { leaveRoute } from "./admit/doors/leave-route.ts";
import { notFound } from "./admit/doors/not-found.ts";
import { protectedRoute } from "./admit/doors/protected-route.ts";
import { queueRoute } from "./admit/doors/queue-route.ts";
import { adminRoutes } from "./operators/admin/admin-routes.ts";
import { openApiRoute } from "./operators/admin/openapi/openapi-document.ts";
import { consoleRoutes } from "./operators/console/console-routes.ts";
import { healthRoute } from "./operators/health/health-route.ts";
import { metricsRoute } from "./operators/metrics/metrics-route.ts";
import type { Platform } from "./proxy/platform.ts";
import type { EdgeEnvironment } from "./request/env.ts";
import { log } from "./request/log.ts";
import { ownRoute, routePath } from "./request/read-visit.ts";

/**
 * The routes, in the order in which a request meets them. They are matched against the path that was normalised once,
 * not against Hono's own reading of the URL, so that the gate and the origin never mean different addresses. A path
 * that does not normalise matches only the last route, where it is refused.
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

/** An unexpected error ends the request here: it is never forwarded. */
function onError(error: Error, c: Context<EdgeEnvironment>): Response {
  const requestId = c.var.visit?.requestId ?? newId(systemRandom);
  log("error", "a request failed inside the edge", { requestId, error });
  return problemResponse("internal_error", { requestId });
}
