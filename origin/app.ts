import { Hono } from "hono";
import type { Logger } from "pino";
import { problemResponse } from "../shared/errors.ts";
import { healthRoute } from "./health/health-route.ts";

type OriginDependencies = Parameters<typeof healthRoute>[0] & { readonly log: Logger };

/** The venue's routes. */
export function createOriginApp({ log, ...dependencies }: OriginDependencies): Hono {
  const app = new Hono();
  app.get("/health", healthRoute(dependencies));
  app.notFound(() => problemResponse("not_found"));
  app.onError((error, c) => {
    log.error({ err: error, method: c.req.method, path: c.req.path, requestId: c.req.header("x-request-id") }, "request failed");
    return problemResponse("internal_error");
  });
  return app;
}
