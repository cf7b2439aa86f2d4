import type { MiddlewareHandler } from "hono";
import type { EdgeEnvironment } from "../env.ts";
import { countAnswer } from "../metrics/edge-counters.ts";
import { readVisit } from "./read-visit.ts";

/** Stands before every route of ours: the same checks as before forwarding, and the request's id on the answer. */
export const ownRoute: MiddlewareHandler<EdgeEnvironment> = async (c, next) => {
  const visit = readVisit(c.req.raw, c.env);
  if (!visit.ok) return visit.reason;
  c.set("visit", visit.value);
  c.set("configuration", visit.value.configuration);
  await next();
  c.res.headers.set("x-request-id", visit.value.requestId);
  countAnswer("own", c.res.status);
  return undefined;
};
