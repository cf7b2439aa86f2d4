import { unreachable } from "../assert.ts";
import { problemResponse } from "../http/errors.ts";
import type { TokenRefusal } from "./verify-token.ts";

/**
 * How long a client should wait while the keys are unavailable: about as long as the origin waits before it asks again.
 */
const KEYS_RETRY_AFTER_SECONDS = 2;

type ProblemContext = { readonly requestId?: string };

/** The public answer to an invalid token: always the same 401, so that an attacker cannot learn which check failed. */
export function tokenProblem(reason: TokenRefusal | "missing", context: ProblemContext = {}): Response {
  switch (reason) {
    case "keys_unavailable":
      return problemResponse("admission_keys_unavailable", { ...context, retryAfterSeconds: KEYS_RETRY_AFTER_SECONDS });
    case "missing":
    case "too_long":
    case "not_canonical":
    case "header_refused":
    case "algorithm_refused":
    case "type_refused":
    case "key_unknown":
    case "signature_wrong":
    case "issuer_wrong":
    case "audience_wrong":
    case "expired":
    case "not_yet_valid":
    case "lifetime_wrong":
    case "claims_malformed":
    case "slotless":
    case "unreadable":
      // RFC 9110 section 15.5.2: a 401 names a way to authenticate.
      return problemResponse("token_invalid", { ...context, headers: { "www-authenticate": 'Bearer realm="sluice"' } });
    default:
      return unreachable(reason);
  }
}
