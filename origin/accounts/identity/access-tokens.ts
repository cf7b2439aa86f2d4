import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { CLOCK_TOLERANCE_SECONDS, TOKEN_ALGORITHM } from "../../shared/admission.ts";
import { type FillRandom, newId } from "../../shared/ids.ts";
import type { Keyring } from "../../shared/keyring.ts";
import { createTokenMemory } from "../../shared/token-memory.ts";
import { isCanonicalToken } from "../../shared/verify-token.ts";

/**
 * What a signed-in person shows with each request: a JWT (RFC 9068) of fifteen minutes that says who and in which session, and nothing
 * else. Role and status are asked each time, so that a change of them needs no new token.
 */
export type AccessTokens = {
  readonly sign: (facts: AccessFacts) => Promise<SignedAccessToken>;
  /** Undefined for anything that is not a token of ours, unexpired. Never throws. */
  readonly read: (token: string, nowMs: number) => Promise<AccessClaims | undefined>;
};

type AccessFacts = { readonly userId: string; readonly sessionId: string; readonly nowMs: number; readonly sessionEndsAtMs: number };
type SignedAccessToken = { readonly accessToken: string; readonly expiresAt: number };
export type AccessClaims = { readonly userId: string; readonly sessionId: string; readonly jti: string; readonly expiresAtSeconds: number };

const ACCESS_TOKEN_SECONDS = 15 * 60;
const TYPE = "at+jwt";
const AUDIENCE = "sluice:venue";
const HEADER_MEMBERS = 3;
/** Some 500 bytes each. */
const REMEMBERED_MAX = 10_000;

const claimsSchema = z.object({
  /** jose would take a list with ours in it. */
  aud: z.literal(AUDIENCE),
  sub: z.uuid(),
  sid: z.string().regex(/^[\w-]{22}$/),
  jti: z.string().regex(/^[\w-]{22}$/),
  iat: z.int(),
  exp: z.int(),
});

type TokenParts = { readonly keyring: Keyring; readonly issuer: string; readonly random: FillRandom };

export function createAccessTokens({ keyring, issuer, random }: TokenParts): AccessTokens {
  const memory = createTokenMemory<AccessClaims>({
    entriesMax: REMEMBERED_MAX,
    isUnexpired: ({ expiresAtSeconds }, nowMs) => expiresAtSeconds * 1000 > nowMs,
  });

  async function verify(token: string, nowMs: number): Promise<AccessClaims | undefined> {
    const header = decodeProtectedHeader(token);
    const key = keyring.publicKeys.get(header.kid ?? "");
    // jose reads `typ` in any case and with "application/" before it; ours is written in one way.
    if (key === undefined || header.typ !== TYPE || Object.keys(header).length !== HEADER_MEMBERS) return undefined;
    const { payload } = await jwtVerify(token, key, {
      algorithms: [TOKEN_ALGORITHM],
      typ: TYPE,
      issuer,
      audience: AUDIENCE,
      requiredClaims: ["sub", "iat", "exp"],
      maxTokenAge: ACCESS_TOKEN_SECONDS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(nowMs),
    });
    const { sub, sid, jti, iat, exp } = claimsSchema.parse(payload);
    const lifetimeSeconds = exp - iat;
    return lifetimeSeconds <= 0 || lifetimeSeconds > ACCESS_TOKEN_SECONDS
      ? undefined
      : { userId: sub, sessionId: sid, jti, expiresAtSeconds: exp };
  }

  return {
    async sign({ userId, sessionId, nowMs, sessionEndsAtMs }) {
      const issuedAt = Math.floor(nowMs / 1000);
      const expiresAtSeconds = Math.min(issuedAt + ACCESS_TOKEN_SECONDS, Math.floor(sessionEndsAtMs / 1000));
      const accessToken = await new SignJWT({ sid: sessionId, jti: newId(random) })
        .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: TYPE, kid: keyring.active.kid })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setSubject(userId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAtSeconds)
        .sign(keyring.active.privateKey);
      return { accessToken, expiresAt: expiresAtSeconds * 1000 };
    },

    async read(token, nowMs) {
      const known = memory.recall(token);
      if (known !== undefined) return known.expiresAtSeconds * 1000 > nowMs ? known : undefined;
      if (!isCanonicalToken(token)) return undefined;
      // jose throws errors of several kinds, TypeErrors among them; each means the same to a caller.
      const claims = await verify(token, nowMs).catch(() => undefined);
      if (claims !== undefined) memory.remember(token, claims, nowMs);
      return claims;
    },
  };
}
