import type { MiddlewareHandler } from "hono";
import type { EdgeEnvironment } from "../env.ts";

/** Puts the request's id on an answer of ours, so that a visitor's report and our log can be brought together. */
export const nameRequest: MiddlewareHandler<EdgeEnvironment> = async (c, next) => {
  await next();
  c.res.headers.set("x-request-id", c.var.visit.requestId);
};
