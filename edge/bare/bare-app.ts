import { type Context, Hono } from "hono";
import { problemResponse } from "../../shared/http/errors.ts";
import { healthRoute } from "../operators/health/health-route.ts";
import type { Platform } from "../proxy/platform.ts";
import type { EdgeEnvironment } from "../request/env.ts";
import { ownRoute, readVisit, routePath } from "../request/read-visit.ts";

/**
 * The way to the origin without a gate in it: what the proxy's own tests look at, and what the gate is measured
 * against.
 */
export function createBareApp(platform: Pick<Platform, "forward">): Hono<EdgeEnvironment> {
  const app = new Hono<EdgeEnvironment>({ getPath: routePath });
  app.use("/_sluice/*", ownRoute);
  app.get("/_sluice/health", healthRoute());
  app.all("/_sluice/*", (c) => problemResponse("not_found", { requestId: c.var.visit.requestId }));
  app.all("*", originRoute(platform));
  return app;
}

/**
 * Everything that is not ours is the origin's. One handler without middleware: Hono then adds next to nothing to a
 * request.
 */
function originRoute({ forward }: Pick<Platform, "forward">) {
  return (c: Context<EdgeEnvironment>): Response | Promise<Response> => {
    const visit = readVisit(c.req.raw, c.env);
    if (!visit.ok) return visit.reason;
    c.set("visit", visit.value);
    return forward(visit.value);
  };
}
