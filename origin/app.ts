import { Hono } from "hono";
import type { Logger } from "pino";
import { problemResponse } from "../shared/http/errors.ts";
import type { PassCheck } from "./accounts/admission/admission.ts";
import { type AdmissionVariables, admission } from "./accounts/admission/admission.ts";
import { API_PREFIX, type ApiListener, createApiListener } from "./api/api-listener.ts";
import { apiRoutes } from "./api/api-routes.ts";
import { createFailureAnswer } from "./api/failure-answer.ts";
import { priceBoardRoutes } from "./prices/page/board-route.ts";
import { healthRoute } from "./system/health-route.ts";
import { metricsResponse } from "./system/metrics-operation.ts";
import { demoRoute } from "./web/demo-route.ts";
import { frontRoute } from "./web/front-route.ts";
import { notFound } from "./web/not-found.ts";

type OriginDependencies = Parameters<typeof healthRoute>[0] &
  Parameters<typeof apiRoutes>[0] &
  Parameters<typeof priceBoardRoutes>[1] & { readonly checkPass: PassCheck; readonly log: Logger };

export type OriginApp = Hono<{ Variables: AdmissionVariables }> & { readonly api: ApiListener };

/** The venue's routes. Every route but `/health` verifies the pass again. */
export function createOriginApp({ log, checkPass, ...dependencies }: OriginDependencies): OriginApp {
  const app = new Hono<{ Variables: AdmissionVariables }>();
  const failureAnswer = createFailureAnswer(log);
  app.use("*", admission(checkPass));
  app.get("/health", healthRoute(dependencies));
  app.route(API_PREFIX, apiRoutes(dependencies));
  app.get("/", frontRoute);
  app.get("/demo/*", demoRoute);
  priceBoardRoutes(app, dependencies);
  app.notFound(notFound);
  app.onError((error, { req }) =>
    failureAnswer(error, { method: req.method, path: req.path, requestId: req.header("x-request-id") }),
  );
  return Object.assign(app, { api: createApiListener({ ...dependencies, checkPass, failureAnswer }) });
}

type HealthDependencies = Parameters<typeof healthRoute>[0] & {
  /** Prometheus text. */
  readonly metrics: () => string;
};

/**
 * For monitors: on processes that serve no API, and on any process at `SLUICE_METRICS_PORT`. Only monitors have this
 * address, so they need no account.
 */
export function createHealthApp(dependencies: HealthDependencies): Hono {
  const app = new Hono();
  app.get("/health", healthRoute(dependencies));
  app.get("/metrics", () => metricsResponse(dependencies.metrics()));
  app.notFound(() => problemResponse("not_found"));
  return app;
}
