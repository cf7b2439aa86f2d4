import { Hono } from "hono";
import type { Logger } from "pino";
import { problemResponse } from "../shared/errors.ts";
import { type AdmissionVariables, admission } from "./admission/admission.ts";
import type { PassCheck } from "./admission/pass-check.ts";
import { healthRoute } from "./health/health-route.ts";

type OriginDependencies = Parameters<typeof healthRoute>[0] & { readonly checkPass: PassCheck; readonly log: Logger };

/** The venue's routes. Behind the gate means behind it: every one but `/health` asks for the pass again. */
export function createOriginApp({ log, checkPass, ...dependencies }: OriginDependencies): Hono<{ Variables: AdmissionVariables }> {
  const app = new Hono<{ Variables: AdmissionVariables }>();
  app.use("*", admission(checkPass));
  app.get("/health", healthRoute(dependencies));
  app.notFound(() => problemResponse("not_found"));
  app.onError((error, c) => {
    log.error({ err: error, method: c.req.method, path: c.req.path, requestId: c.req.header("x-request-id") }, "request failed");
    return problemResponse("internal_error");
  });
  return app;
}
