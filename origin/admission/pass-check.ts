import type { Logger } from "pino";
import type { Pass } from "../../shared/admission.ts";
import type { Clock } from "../../shared/clock.ts";
import { fail, type Result } from "../../shared/result.ts";
import { createTokenVerifier } from "../../shared/token-verifier.ts";
import type { AcceptedQueues, TokenKeys, TokenRefusal } from "../../shared/verify-token.ts";

/**
 * Whether a request carries a valid pass: the same verdict for HTTP and for WebSocket handshakes. The origin asks again what the gate has
 * decided, so that nobody gets round the gate by finding the origin's address.
 */
export type PassCheck = (request: CheckedRequest) => Promise<Result<Pass, PassRefusal>>;

export type PassRefusal = TokenRefusal | "missing";

export type CheckedRequest = {
  /** The content of `x-sluice-pass`; sent twice, it is both joined by a comma and therefore no token. */
  readonly pass: string | undefined;
  readonly path: string;
  readonly requestId: string | undefined;
};

type PassCheckOptions = {
  readonly keys: TokenKeys;
  readonly issuer: string;
  /** The queues that lead here; a pass of another one is refused. */
  readonly queueIds: AcceptedQueues;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info">;
};

export function createPassCheck({ keys, issuer, queueIds, clock, log }: PassCheckOptions): PassCheck {
  const verifier = createTokenVerifier({ issuer, keys });
  return async ({ pass, path, requestId }) => {
    const verified = pass === undefined ? fail("missing") : await verifier.pass(pass, { queueIds, nowMs: clock.nowMs() });
    const verdict = verified.ok && verified.value.slotless ? fail("slotless") : verified;
    if (!verdict.ok) log.info({ reason: verdict.reason, path, requestId }, "no valid pass");
    return verdict;
  };
}
