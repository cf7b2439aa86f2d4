import { TOKEN_ALGORITHM } from "../../shared/tokens/admission.ts";
import type { Keyring } from "../../shared/tokens/keyring.ts";

/**
 * Shorter than the time between publishing a key and signing with it, so that no cache on the way holds a rotation up.
 */
const JWKS_MAX_AGE_SECONDS = 60;

/** `GET /_sluice/jwks.json`: the public halves of all keys, active and retiring (RFC 7517). */
export function jwksResponse({ publicJwks }: Keyring): Response {
  const keys = publicJwks.map(({ kid, kty, crv, x }) => ({ kid, kty, crv, x, alg: TOKEN_ALGORITHM, use: "sig" }));
  return new Response(JSON.stringify({ keys }), {
    headers: { "content-type": "application/jwk-set+json", "cache-control": `public, max-age=${JWKS_MAX_AGE_SECONDS}` },
  });
}
