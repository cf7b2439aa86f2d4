import { CompactSign, type CryptoKey, compactVerify } from "jose";
import { z } from "zod";
import { fail, ok, type Result } from "../result.ts";
import { TOKEN_ALGORITHM } from "./admission.ts";
import {
  importTokenKey,
  kidSchema,
  type PrivateTokenKey,
  type PublicTokenKey,
  privateTokenKeySchema,
  publicTokenKeySchema,
  TOKEN_KEYS_MAX,
} from "./token-keys.ts";

/**
 * The gate's keys: the active one signs, all of them verify. To rotate without ending any session, add the new key,
 * make it active once every edge and origin has it, and take the old one out when its last token has expired.
 */
export type Keyring = {
  readonly active: { readonly kid: string; readonly privateKey: CryptoKey };
  readonly publicKeys: ReadonlyMap<string, CryptoKey>;
  readonly publicJwks: readonly PublicTokenKey[];
};

const TEXT_CHARS_MAX = 16_384;

const keyringSchema = z
  .object({
    active: kidSchema,
    keys: z
      .array(privateTokenKeySchema)
      .min(1, "must hold at least one key")
      .max(TOKEN_KEYS_MAX, `must hold at most ${TOKEN_KEYS_MAX} keys`),
  })
  .refine(({ keys }) => new Set(keys.map(({ kid }) => kid)).size === keys.length, {
    path: ["keys"],
    message: "must not use a kid twice",
  })
  .refine(({ active, keys }) => keys.some(({ kid }) => kid === active), {
    path: ["active"],
    message: "must be the kid of one of the keys",
  });

/**
 * From `{"active":"<kid>","keys":[<private JWK with kid>, …]}`. Reports every fault at once and never repeats a value:
 * these are secrets.
 */
export async function parseKeyring(text: string): Promise<Result<Keyring, readonly string[]>> {
  const json = text.length <= TEXT_CHARS_MAX ? parseJson(text) : undefined;
  if (json === undefined)
    return fail([`must be JSON, {"active": …, "keys": […]}, of at most ${TEXT_CHARS_MAX} characters`]);
  const parsed = keyringSchema.safeParse(json);
  if (!parsed.success) return fail(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`));
  const { active, keys } = parsed.data;
  const pairs = await Promise.all(keys.map(importPair));
  const faults = pairs.flatMap((pair, index) => (pair.ok ? [] : [`keys.${index}: ${pair.reason}`]));
  if (faults.length > 0) return fail(faults);
  return ok(
    keyringOf(
      active,
      pairs.flatMap((pair) => (pair.ok ? [pair.value] : [])),
    ),
  );
}

type Pair = {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly publicJwk: PublicTokenKey;
};

function keyringOf(activeKid: string, pairs: readonly Pair[]): Keyring {
  const active = pairs.find(({ kid }) => kid === activeKid);
  if (active === undefined) throw new Error("the schema lets no keyring through without its active key");
  return {
    active,
    publicKeys: new Map(pairs.map(({ kid, publicKey }) => [kid, publicKey])),
    publicJwks: pairs.map(({ publicJwk }) => publicJwk),
  };
}

/**
 * Importing does not compare the two halves of a pair, so both are tried once: the public key must verify a signature
 * of the private one.
 */
async function importPair(jwk: PrivateTokenKey): Promise<Result<Pair, string>> {
  const publicJwk = publicTokenKeySchema.parse(jwk);
  try {
    const [privateKey, publicKey] = await Promise.all([importTokenKey(jwk), importTokenKey(publicJwk)]);
    const proof = await new CompactSign(new Uint8Array(1))
      .setProtectedHeader({ alg: TOKEN_ALGORITHM })
      .sign(privateKey);
    await compactVerify(proof, publicKey, { algorithms: [TOKEN_ALGORITHM] });
    return ok({ kid: jwk.kid, privateKey, publicKey, publicJwk });
  } catch {
    return fail("x and d must be the two halves of one Ed25519 key");
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
