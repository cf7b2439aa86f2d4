import { exportJWK, generateKeyPair } from "jose";
import { TOKEN_ALGORITHM, TOKEN_CURVE } from "./admission.ts";
import { type PrivateTokenKey, privateTokenKeySchema } from "./token-keys.ts";

/** A new signing key. The private part leaves `crypto` here once; the caller keeps it. */
export async function newTokenKey(kid: string): Promise<PrivateTokenKey> {
  const { privateKey } = await generateKeyPair(TOKEN_ALGORITHM, { crv: TOKEN_CURVE, extractable: true });
  return privateTokenKeySchema.parse({ ...(await exportJWK(privateKey)), kid });
}
