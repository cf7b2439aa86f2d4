import type { Redis } from "ioredis";
import type { Clock } from "../../shared/clock.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { Received } from "../api-keys/signed-request.ts";
import type { SignatureRefusal, VerifySignature } from "../api-keys/verify-signature.ts";
import type { AccessTokens } from "../identity/access-tokens.ts";
import { sessionsKey, userKey } from "../identity/keys.ts";
import { readUserCopy } from "../identity/user-copies.ts";
import { replies } from "../redis/pipeline.ts";
import type { Identity } from "./operation.ts";

/** Who a request comes from: by an access token, or by a signature of an API key. One round trip. */
export type Authenticate = (received: Received, address: string | undefined) => Promise<Result<Identity, AuthenticationRefusal>>;

export type AuthenticationRefusal = { readonly code: "not_signed_in" } | SignatureRefusal;

/** RFC 6750, 2.1. */
const BEARER = /^bearer +([\w.~+/=-]+)$/i;

type AuthenticationParts = {
  readonly redis: Redis;
  readonly accessTokens: AccessTokens;
  readonly verifySignature: VerifySignature;
  readonly clock: Clock;
};

/** The token says who; whether the session still stands and what the person may do is asked each time, so that every change holds at once. */
export function createAuthentication({ redis, accessTokens, verifySignature, clock }: AuthenticationParts): Authenticate {
  async function byToken(authorization: string | null): Promise<Result<Identity, AuthenticationRefusal>> {
    const token = BEARER.exec(authorization ?? "")?.[1];
    const claims = token === undefined ? undefined : await accessTokens.read(token, clock.nowMs());
    if (claims === undefined) return fail({ code: "not_signed_in" });
    const { userId, sessionId } = claims;
    const [isOpen, copy] = await replies(redis.pipeline().hexists(sessionsKey(userId), sessionId).hgetall(userKey(userId)));
    const user = isOpen === 1 ? readUserCopy(copy) : undefined;
    return user?.status === "active" ? ok({ user, sessionId }) : fail({ code: "not_signed_in" });
  }

  return async (received, address) => {
    const authorization = received.headers.get("authorization");
    if (!received.headers.has("x-api-key")) return byToken(authorization);
    // Two identities in one request: nobody can tell which was meant.
    if (authorization !== null) return fail({ code: "signature_invalid" });
    const signer = await verifySignature(received, address);
    if (!signer.ok) return signer;
    const { user, keyId, permissions } = signer.value;
    return ok({ user, apiKey: { id: keyId, permissions } });
  };
}
