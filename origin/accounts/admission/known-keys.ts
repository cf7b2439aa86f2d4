import type { CryptoKey } from "jose";
import { z } from "zod";
import { fail, ok } from "../../../shared/result.ts";
import {
  importTokenKey,
  type PublicTokenKey,
  publicTokenKeySchema,
  TOKEN_KEYS_MAX,
} from "../../../shared/tokens/token-keys.ts";
import type { TokenKeys } from "../../../shared/tokens/verify-token.ts";

/** The gate's public keys by kid. `x` is kept beside the key, so that an unchanged key remains the same object. */
export type KeyTable = ReadonlyMap<string, { readonly x: string; readonly key: CryptoKey }>;

const MEMBERS_OF_PRIVATE_KEYS = ["d", "k", "p", "q"];

/**
 * Keys of other types are skipped, not refused: a gate may publish some for others, or be about to change its
 * algorithm.
 */
export const jwksSchema = z
  .object({ keys: z.array(z.record(z.string(), z.unknown())) })
  .transform(({ keys }) => keys.flatMap((key) => publicTokenKeySchema.safeParse(key).data ?? []))
  .refine((keys) => keys.length >= 1, "must hold at least one Ed25519 key with a kid")
  .refine((keys) => keys.length <= TOKEN_KEYS_MAX, `must hold at most ${TOKEN_KEYS_MAX} Ed25519 keys`);

/** The key set as the text of a setting. A private key here is a mistake, so the origin does not start with one. */
export const jwksVariable = z
  .string()
  .transform((text, ctx): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      ctx.addIssue({ code: "custom", message: 'must be JSON, {"keys": [<public JWK>, …]}' });
      return z.NEVER;
    }
  })
  .refine((json) => !holdsPrivateKey(json), "must hold public keys only")
  .pipe(jwksSchema);

/** Keys that are known from the start and never change. */
export async function knownKeys(jwks: readonly PublicTokenKey[]): Promise<TokenKeys> {
  const table = await importKeyTable(jwks, new Map());
  return { find: (kid) => foundIn(table, kid) };
}

export async function importKeyTable(jwks: readonly PublicTokenKey[], previous: KeyTable): Promise<KeyTable> {
  const entries = jwks.map(async (jwk) => {
    const known = previous.get(jwk.kid);
    const key = known?.x === jwk.x ? known.key : await importTokenKey(jwk);
    return [jwk.kid, { x: jwk.x, key }] as const;
  });
  return new Map(await Promise.all(entries));
}

export function foundIn(table: KeyTable, kid: string) {
  const known = table.get(kid);
  return known === undefined ? fail("key_unknown") : ok(known.key);
}

function holdsPrivateKey(json: unknown): boolean {
  const parsed = z.object({ keys: z.array(z.record(z.string(), z.unknown())) }).safeParse(json);
  return parsed.success && parsed.data.keys.some((key) => MEMBERS_OF_PRIVATE_KEYS.some((member) => member in key));
}
