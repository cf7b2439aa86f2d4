import { decodeJwt } from "jose";
import { forgedPasses } from "../../kit/forged-tokens.ts";
import { createTokenForge, type TokenForge } from "../../kit/token-forge.ts";
import type { PrivateTokenKey } from "../../shared/tokens/token-keys.ts";

/** Forged access tokens: the venue's own claims of an open session, changed one at a time. */
export async function createAccessTokenForge(accessToken: string, jwk: PrivateTokenKey): Promise<TokenForge> {
  const claims = { ...decodeJwt(accessToken) };
  return createTokenForge({
    kind: "pass",
    nowSeconds: Math.floor(Date.now() / 1000),
    jwk,
    header: { typ: "at+jwt" },
    claims: { scope: undefined, ...claims },
  });
}

type ForgedAccessToken = readonly [name: string, forge: (forge: TokenForge) => string | Promise<string>];

const LIFETIME_SECONDS = 15 * 60;

/** A claim of passes that access tokens do not have. */
const NOT_FOR_ACCESS_TOKENS = /^a scope (?!written)/;

const own: readonly ForgedAccessToken[] = [
  ["typ AT+JWT in capitals", ({ token }) => token({ header: { typ: "AT+JWT" } })],
  ["typ application/at+jwt", ({ token }) => token({ header: { typ: "application/at+jwt" } })],
  ["a pass", ({ token }) => token({ header: { typ: "sluice-pass+jwt" } })],
  [
    "one second more than a quarter of an hour",
    ({ token, nowSeconds }) => token({ claims: { iat: nowSeconds, exp: nowSeconds + LIFETIME_SECONDS + 1 } }),
  ],
  ["two audiences, ours among them", ({ token, claims }) => token({ claims: { aud: [claims["aud"], "x"] } })],
  ["no session", ({ token }) => token({ claims: { sid: undefined } })],
  ["a session that is none", ({ token }) => token({ claims: { sid: "*" } })],
  ["another's session", ({ token }) => token({ claims: { sid: "AAAAAAAAAAAAAAAAAAAAAA" } })],
  ["another user", ({ token }) => token({ claims: { sub: "01890000-0000-7000-8000-000000000001" } })],
  ["a user that is a pattern", ({ token }) => token({ claims: { sub: "*" } })],
  ["a user that is a list", ({ token, claims }) => token({ claims: { sub: [claims["sub"]] } })],
];

export const forgedAccessTokens: readonly ForgedAccessToken[] = [
  ...forgedPasses
    .filter(([name]) => !NOT_FOR_ACCESS_TOKENS.test(name))
    .map(([name, , forge]) => [name, forge] as const),
  ...own,
];
