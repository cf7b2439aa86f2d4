import type { MiddlewareHandler } from "hono";
import { PASS_HEADER, type Pass } from "../../shared/admission.ts";
import { tokenProblem } from "../../shared/token-problem.ts";
import type { PassCheck } from "./pass-check.ts";

/** What the handlers behind it find in the context: `c.get("pass")`. */
export type AdmissionVariables = { readonly pass: Pass };

/** Monitors and the supervisor ask for it directly, and it tells nobody anything of worth. */
const OPEN_PATH = "/health";

/** In front of every route: no valid pass, no answer but 401. */
export function admission(check: PassCheck): MiddlewareHandler<{ Variables: AdmissionVariables }> {
  return async (c, next) => {
    const { path } = c.req;
    if (path === OPEN_PATH) return next();
    const requestId = c.req.header("x-request-id");
    const verdict = await check({ pass: c.req.header(PASS_HEADER), path, requestId });
    if (!verdict.ok) return tokenProblem(verdict.reason, requestId === undefined ? {} : { requestId });
    c.set("pass", verdict.value);
    return next();
  };
}
