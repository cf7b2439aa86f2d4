import { Hono } from "hono";
import { problemResponse } from "../../shared/errors.ts";
import type { EdgeEnvironment } from "../env.ts";
import { healthRoute } from "../health/health-route.ts";
import type { Platform } from "../platform.ts";
import { originRoute } from "./origin-route.ts";
import { ownRoute } from "./own-route.ts";
import { routePath } from "./read-visit.ts";

/** The way to the origin without a gate in it: what the proxy's own tests look at, and what the gate is measured against. */
export function createBareApp(platform: Pick<Platform, "forward">): Hono<EdgeEnvironment> {
  const app = new Hono<EdgeEnvironment>({ getPath: routePath });
  app.use("/_sluice/*", ownRoute);
  app.get("/_sluice/health", healthRoute());
  app.all("/_sluice/*", (c) => problemResponse("not_found", { requestId: c.var.visit.requestId }));
  app.all("*", originRoute(platform));
  return app;
}
