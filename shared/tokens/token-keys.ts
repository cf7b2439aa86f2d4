import { type CryptoKey, importJWK } from "jose";
import { z } from "zod";
import { assert } from "../assert.ts";
import { TOKEN_ALGORITHM, TOKEN_CURVE } from "./admission.ts";

/**
 * The keys that sign and verify tickets and passes, as JSON Web Keys. Only Ed25519: the key, not the token, decides the
 * algorithm.
 */
export type PublicTokenKey = z.output<typeof publicTokenKeySchema>;
export type PrivateTokenKey = z.output<typeof privateTokenKeySchema>;

/** 32 bytes in base64url, the unused bits of the last character zero. */
const bytes32Schema = z.string().regex(/^[\w-]{42}[AEIMQUYcgkosw048]$/, "must be 32 bytes in base64url");

/** The same shape that a token's `kid` must have, so that it is safe in a path or a log. */
export const kidSchema = z.string().regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, hyphens or underscores");

/** The public members. Parsing keeps only these, so that a private one cannot leak. */
export const publicTokenKeySchema = z.object({
  kid: kidSchema,
  kty: z.literal("OKP", 'must be "OKP"'),
  crv: z.literal(TOKEN_CURVE, `must be "${TOKEN_CURVE}"`),
  x: bytes32Schema,
});

export const privateTokenKeySchema = publicTokenKeySchema.extend({ d: bytes32Schema });

/** A rotation needs two; the others are a reserve for slow rotations. */
export const TOKEN_KEYS_MAX = 8;

export async function importTokenKey(jwk: PublicTokenKey | PrivateTokenKey): Promise<CryptoKey> {
  const key = await importJWK(jwk, TOKEN_ALGORITHM);
  assert(!(key instanceof Uint8Array), "an OKP key is not a secret's bytes");
  return key;
}
