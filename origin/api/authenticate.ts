import { fail, ok, type Result } from "../../shared/result.ts";
import type { Received } from "../accounts/api-keys/signed-request.ts";
import type { SignatureRefusal, VerifySignature } from "../accounts/api-keys/verify-signature.ts";
import type { ReadSession } from "../accounts/identity/session-reader.ts";
import type { Nonce } from "../engine/command.ts";
import type { RequestNonce } from "../trading/trading-port.ts";
import type { Identity } from "./operation.ts";

/** Authenticates a request by an access token or by the signature of an API key, in one round trip. */
export type Authenticate = (
  received: Received,
  circumstances: Circumstances,
) => Promise<Result<Identity, AuthenticationRefusal>>;

type Circumstances = { readonly address: string | undefined; readonly submitsCommand: boolean };

export type AuthenticationRefusal = { readonly code: "not_signed_in" } | SignatureRefusal;

/** RFC 6750, 2.1. */
const BEARER = /^bearer +([\w.~+/=-]+)$/i;

export function bearerToken(authorization: string | null): string | undefined {
  return BEARER.exec(authorization ?? "")?.[1];
}

type AuthenticationParts = { readonly readSession: ReadSession; readonly verifySignature: VerifySignature };

export function createAuthentication({ readSession, verifySignature }: AuthenticationParts): Authenticate {
  async function byToken(authorization: string | null): Promise<Result<Identity, AuthenticationRefusal>> {
    const token = bearerToken(authorization);
    const session = token === undefined ? undefined : await readSession(token);
    return session === undefined
      ? fail({ code: "not_signed_in" })
      : ok({ user: session.user, sessionId: session.sessionId });
  }

  return async (received, { address, submitsCommand }) => {
    const authorization = received.headers.get("authorization");
    if (!received.headers.has("x-api-key")) return byToken(authorization);
    // Two identities in one request: it is not clear which was meant.
    if (authorization !== null) return fail({ code: "signature_invalid" });
    const signer = await verifySignature(received, { address, isRemembered: !submitsCommand });
    if (!signer.ok) return signer;
    const { user, keyId, permissions, nonce } = signer.value;
    const identity = { user, apiKey: { id: keyId, permissions } };
    return ok(submitsCommand ? { ...identity, nonce: createRequestNonce(nonce) } : identity);
  };
}

/** For an operation that `submitsCommand`: the engine remembers the signature with the command, not this process. */
export function createRequestNonce({ id, until }: Nonce): RequestNonce {
  let isLeft = true;
  return {
    take(index) {
      isLeft = false;
      return { id: index === 0 ? id : `${id}.${index}`, until };
    },
    waive() {
      isLeft = false;
    },
    isLeft: () => isLeft,
  };
}
