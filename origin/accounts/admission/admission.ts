import type { MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import type { Clock } from "../../../shared/clock.ts";
import { fail, type Result } from "../../../shared/result.ts";
import { type AcceptedQueues, PASS_HEADER, type Pass } from "../../../shared/tokens/admission.ts";
import { tokenProblem } from "../../../shared/tokens/token-problem.ts";
import { createTokenVerifier } from "../../../shared/tokens/token-verifier.ts";
import type { TokenKeys, TokenRefusal } from "../../../shared/tokens/verify-token.ts";

/**
 * Whether a request carries a valid pass: the same check for HTTP requests and WebSocket handshakes. The origin repeats
 * the gate's check, so that knowing the origin's address does not bypass the gate.
 */
export type PassCheck = (request: CheckedRequest) => Promise<Result<Pass, PassRefusal>>;

type PassRefusal = TokenRefusal | "missing";

type CheckedRequest = {
  /** The content of `x-sluice-pass`; a repeated header is joined by a comma and therefore no token. */
  readonly pass: string | undefined;
  readonly path: string;
  readonly requestId: string | undefined;
};

type PassCheckOptions = {
  readonly keys: TokenKeys;
  readonly issuer: string;
  /** The queues of this origin; a pass of another queue is refused. */
  readonly queueIds: AcceptedQueues;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info">;
};

export function createPassCheck({ keys, issuer, queueIds, clock, log }: PassCheckOptions): PassCheck {
  const verifier = createTokenVerifier({ issuer, keys });
  return async ({ pass, path, requestId }) => {
    const verified =
      pass === undefined ? fail("missing") : await verifier.pass(pass, { queueIds, nowMs: clock.nowMs() });
    const verdict = verified.ok && verified.value.slotless ? fail("slotless") : verified;
    if (!verdict.ok)
      log.info({ reason: verdict.reason, path, requestId }, "a request without a valid pass was refused");
    return verdict;
  };
}

/** Variables for the handlers: `c.get("pass")`. */
export type AdmissionVariables = { readonly pass: Pass };

/** Monitors and the supervisor read it directly; it reveals nothing sensitive. */
const OPEN_PATH = "/health";

/** In front of every route: without a valid pass the answer is 401. */
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

/** The same check for a request that does not need the pass's content. */
export async function refusalOfPass(check: PassCheck, request: CheckedRequest): Promise<Response | undefined> {
  const verdict = await check(request);
  return verdict.ok ? undefined : refusal(verdict.reason, request.requestId);
}

function refusal(reason: PassRefusal, requestId: string | undefined): Response {
  return tokenProblem(reason, requestId === undefined ? {} : { requestId });
}
