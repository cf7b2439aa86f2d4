import { fail, ok } from "../../shared/result.ts";
import type { VerifySignature } from "../accounts/api-keys/verify-signature.ts";
import type { ReadSession } from "../accounts/identity/session-reader.ts";
import type { SignIn } from "./sockets/live-identity.ts";

type SignInParts = { readonly readSession: ReadSession; readonly verifySignature: VerifySignature };

/** An API key signs the handshake to read private channels, in the headers or in a message. */
const SIGNED = { method: "GET", url: "http://venue/api/v1/ws", body: Buffer.alloc(0) };

/** A socket signs in with an access token, or with the signature of an API key that has the permission `info`. */
export function createSignIn({ readSession, verifySignature }: SignInParts): SignIn {
  return async (credentials, address) => {
    if ("accessToken" in credentials) {
      const session = await readSession(credentials.accessToken);
      if (session === undefined) return fail("not_signed_in");
      const { user, sessionId, expiresAtMs } = session;
      return ok({ userId: user.id, role: user.role, expiresAtMs, proof: { sessionId } });
    }
    const { apiKey, timestamp, signature, window, nonce = "" } = credentials;
    const headers = new Headers({
      "x-api-key": apiKey,
      "x-api-timestamp": String(timestamp),
      "x-api-signature": signature,
    });
    if (window !== undefined) headers.set("x-api-window", String(window));
    if (nonce !== "") headers.set("x-api-nonce", nonce);
    const signer = await verifySignature({ ...SIGNED, headers }, { address, isRemembered: true });
    if (!signer.ok) return fail(signer.reason.code);
    const { user, keyId, permissions, expiresAtMs } = signer.value;
    if (!permissions.includes("info")) return fail("permission_missing");
    return ok({ userId: user.id, role: user.role, expiresAtMs, proof: { apiKeyId: keyId } });
  };
}
