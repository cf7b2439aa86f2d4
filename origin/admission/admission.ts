import type { MiddlewareHandler } from "hono";
import { PASS_HEADER, type Pass } from "../../shared/admission.ts";
import { tokenProblem } from "../../shared/token-problem.ts";
import type { CheckedRequest, PassCheck, PassRefusal } from "./pass-check.ts";

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
    if (!verdict.ok) return refusal(verdict.reason, requestId);
    c.set("pass", verdict.value);
    return next();
  };
}

/** The same for a request that needs to know nothing of the pass but that it holds. */
export async function refusalOfPass(check: PassCheck, request: CheckedRequest): Promise<Response | undefined> {
  const verdict = await check(request);
  return verdict.ok ? undefined : refusal(verdict.reason, request.requestId);
}

function refusal(reason: PassRefusal, requestId: string | undefined): Response {
  return tokenProblem(reason, requestId === undefined ? {} : { requestId });
}
