import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { type FillRandom, newId } from "../../../shared/ids.ts";
import { CLOCK_TOLERANCE_SECONDS, TOKEN_ALGORITHM } from "../../../shared/tokens/admission.ts";
import type { Keyring } from "../../../shared/tokens/keyring.ts";
import { createTokenMemory } from "../../../shared/tokens/token-verifier.ts";
import { isCanonicalToken } from "../../../shared/tokens/verify-token.ts";

/**
 * Access tokens: a JWT (RFC 9068) of fifteen minutes that names the user and the session, and nothing else. Role and
 * status are read with each request, so that changing them needs no new token.
 */
export type AccessTokens = {
  readonly sign: (facts: AccessFacts) => Promise<SignedAccessToken>;
  /** Undefined for anything but an unexpired token of ours. Never throws. */
  readonly read: (token: string, nowMs: number) => Promise<AccessClaims | undefined>;
};

type AccessFacts = {
  readonly userId: string;
  readonly sessionId: string;
  readonly nowMs: number;
  readonly sessionEndsAtMs: number;
};
type SignedAccessToken = { readonly accessToken: string; readonly expiresAt: number };
export type AccessClaims = {
  readonly userId: string;
  readonly sessionId: string;
  readonly jti: string;
  readonly expiresAtSeconds: number;
};

const ACCESS_TOKEN_SECONDS = 15 * 60;
const TYPE = "at+jwt";
const AUDIENCE = "sluice:venue";
const HEADER_MEMBERS = 3;
/** Some 500 bytes each. */
const REMEMBERED_MAX = 10_000;

const claimsSchema = z.object({
  /** jose would accept a list that contains ours. */
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
    // jose accepts `typ` in any case and with the prefix "application/"; ours has one form.
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
      // jose throws errors of several classes, including TypeError; all mean an invalid token.
      const claims = await verify(token, nowMs).catch(() => undefined);
      if (claims !== undefined) memory.remember(token, claims, nowMs);
      return claims;
    },
  };
}
