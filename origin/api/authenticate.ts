import { fail, ok, type Result } from "../../shared/result.ts";
import type { Received } from "../api-keys/signed-request.ts";
import type { SignatureRefusal, VerifySignature } from "../api-keys/verify-signature.ts";
import type { ReadSession } from "../identity/session-reader.ts";
import type { Identity } from "./operation.ts";
import { createRequestNonce } from "./request-nonce.ts";

/** Who a request comes from: by an access token, or by a signature of an API key. One round trip. */
export type Authenticate = (received: Received, circumstances: Circumstances) => Promise<Result<Identity, AuthenticationRefusal>>;

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
    return session === undefined ? fail({ code: "not_signed_in" }) : ok({ user: session.user, sessionId: session.sessionId });
  }

  return async (received, { address, submitsCommand }) => {
    const authorization = received.headers.get("authorization");
    if (!received.headers.has("x-api-key")) return byToken(authorization);
    // Two identities in one request: nobody can tell which was meant.
    if (authorization !== null) return fail({ code: "signature_invalid" });
    const signer = await verifySignature(received, { address, isRemembered: !submitsCommand });
    if (!signer.ok) return signer;
    const { user, keyId, permissions, nonce } = signer.value;
    const identity = { user, apiKey: { id: keyId, permissions } };
    return ok(submitsCommand ? { ...identity, nonce: createRequestNonce(nonce) } : identity);
  };
}
