import { Hono } from "hono";
import type { Logger } from "pino";
import { problemResponse } from "../shared/errors.ts";
import { type AdmissionVariables, admission } from "./admission/admission.ts";
import type { PassCheck } from "./admission/pass-check.ts";
import { apiRoutes } from "./api/api-routes.ts";
import { DatabaseUnavailable } from "./db/database.ts";
import { healthRoute } from "./health/health-route.ts";
import { PasswordsBusy } from "./identity/passwords.ts";
import { isStoreAbsence } from "./redis/store-absence.ts";
import { metricsResponse } from "./system/metrics-operation.ts";
import { demoRoute } from "./web/demo-route.ts";
import { frontRoute } from "./web/front-route.ts";
import { notFound } from "./web/not-found.ts";

type OriginDependencies = Parameters<typeof healthRoute>[0] &
  Parameters<typeof apiRoutes>[0] & { readonly checkPass: PassCheck; readonly log: Logger };

/** The venue's routes. Behind the gate means behind it: every one but `/health` asks for the pass again. */
export function createOriginApp({ log, checkPass, ...dependencies }: OriginDependencies): Hono<{ Variables: AdmissionVariables }> {
  const app = new Hono<{ Variables: AdmissionVariables }>();
  app.use("*", admission(checkPass));
  app.get("/health", healthRoute(dependencies));
  app.route("/api/v1", apiRoutes(dependencies));
  app.get("/", frontRoute);
  app.get("/demo/*", demoRoute);
  app.notFound(notFound);
  app.onError((error, c) => {
    const requestId = c.req.header("x-request-id");
    const absence = absenceOf(error);
    const facts = { err: error, method: c.req.method, path: c.req.path, requestId };
    if (absence === undefined) log.error(facts, "request failed");
    else log.warn(facts, "a request found a part away");
    const options = requestId === undefined ? {} : { requestId };
    return absence === undefined
      ? problemResponse("internal_error", options)
      : problemResponse(absence, { ...options, retryAfterSeconds: RETRY_AFTER_SECONDS });
  });
  return app;
}

type HealthDependencies = Parameters<typeof healthRoute>[0] & {
  /** Prometheus text. */
  readonly metrics: () => string;
};

/** For monitors: of a process that serves no API, and of any at `SLUICE_METRICS_PORT`. Only they have its address, so they need no account there. */
export function createHealthApp(dependencies: HealthDependencies): Hono {
  const app = new Hono();
  app.get("/health", healthRoute(dependencies));
  app.get("/metrics", () => metricsResponse(dependencies.metrics()));
  app.notFound(() => problemResponse("not_found"));
  return app;
}

const RETRY_AFTER_SECONDS = 2;

function absenceOf(error: unknown) {
  if (error instanceof DatabaseUnavailable) return "database_unavailable";
  if (error instanceof PasswordsBusy) return "venue_busy";
  return isStoreAbsence(error) ? "store_unavailable" : undefined;
}
