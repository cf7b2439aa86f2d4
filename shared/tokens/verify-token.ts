import { type CryptoKey, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from "jose";
import type { z } from "zod";
import type { QueueId } from "../queue-id.ts";
import { fail, ok, type Result } from "../result.ts";
import {
  type AcceptedQueues,
  acceptsQueue,
  CLOCK_TOLERANCE_SECONDS,
  PASS_LIFETIME_SECONDS_MAX,
  type Pass,
  passClaimsSchema,
  queueOfAudience,
  TICKET_LIFETIME_SECONDS_MAX,
  type Ticket,
  TOKEN_ALGORITHM,
  TOKEN_CHARS_MAX,
  type TokenKind,
  ticketClaimsSchema,
  tokenType,
} from "./admission.ts";

/**
 * Strict verification of a ticket or pass, the same on both sides. jose by itself accepts a missing `exp`, an `iat` in
 * the future, a lifetime of a century and a changed last character; this refuses all of them. Never throws. The reason
 * is for the log: outside, all refusals look alike (`token-problem.ts`).
 */
export type TokenRefusal =
  | "too_long"
  | "not_canonical"
  | "header_refused"
  | "algorithm_refused"
  | "type_refused"
  | "key_unknown"
  | "keys_unavailable"
  | "signature_wrong"
  | "issuer_wrong"
  | "audience_wrong"
  | "expired"
  | "not_yet_valid"
  | "lifetime_wrong"
  | "claims_malformed"
  | "slotless"
  | "unreadable";

/** The source of keys. A withdrawn key is no longer found; one that stays is the same object each time. */
export type TokenKeys = {
  readonly find: (kid: string) => FoundKey | Promise<FoundKey>;
};

export type FoundKey = Result<CryptoKey, "key_unknown" | "keys_unavailable">;

export type Verification = {
  readonly issuer: string;
  readonly keys: TokenKeys;
  readonly queueIds: AcceptedQueues;
  readonly nowMs: number;
};

export type VerifiedToken<Content> = { readonly content: Content; readonly kid: string; readonly key: CryptoKey };

type Outcome<Content> = Promise<Result<VerifiedToken<Content>, TokenRefusal>>;

export function verifyTicket(token: string, verification: Verification): Outcome<Ticket> {
  return verifyToken(ticketRules, token, verification);
}

export function verifyPass(token: string, verification: Verification): Outcome<Pass> {
  return verifyToken(passRules, token, verification);
}

export type KindRules<Claims, Content> = {
  readonly kind: TokenKind;
  readonly lifetimeSecondsMax: number;
  readonly claims: z.ZodType<Claims>;
  readonly read: (claims: Claims, queueId: QueueId) => Content;
};

const ticketRules: KindRules<z.output<typeof ticketClaimsSchema>, Ticket> = {
  kind: "ticket",
  lifetimeSecondsMax: TICKET_LIFETIME_SECONDS_MAX,
  claims: ticketClaimsSchema,
  read: ({ sub, order, lane, keyed, metadata, iat, exp }, queueId) => ({
    queueId,
    ticketId: sub,
    order,
    lane,
    ...(keyed !== undefined && { keyed }),
    ...(metadata !== undefined && { metadata }),
    issuedAtSeconds: iat,
    expiresAtSeconds: exp,
  }),
};

const passRules: KindRules<z.output<typeof passClaimsSchema>, Pass> = {
  kind: "pass",
  lifetimeSecondsMax: PASS_LIFETIME_SECONDS_MAX,
  claims: passClaimsSchema,
  read: ({ sub, jti, iat, exp, unconfirmed, scope, upstream, slotless }, queueId) => ({
    queueId,
    sessionId: sub,
    jti,
    issuedAtSeconds: iat,
    expiresAtSeconds: exp,
    ...(unconfirmed !== undefined && { unconfirmed }),
    ...(scope !== undefined && { scope }),
    ...(upstream !== undefined && { upstream }),
    ...(slotless !== undefined && { slotless }),
  }),
};

export async function verifyToken<Claims extends { iat: number; exp: number }, Content>(
  rules: KindRules<Claims, Content>,
  token: string,
  verification: Verification,
): Outcome<Content> {
  try {
    const kid = readKid(rules.kind, token);
    if (!kid.ok) return kid;
    const key = await verification.keys.find(kid.value);
    if (!key.ok) return key;
    const payload = await verifiedPayload(rules, token, { ...verification, key: key.value });
    const content = readClaims(rules, payload, verification.queueIds);
    return content.ok ? ok({ content: content.value, kid: kid.value, key: key.value }) : content;
  } catch (error) {
    return fail(refusalOf(error));
  }
}

/**
 * Three parts of canonical base64url: unused bits are zero. Decoders ignore those bits, so that a token would otherwise
 * have several spellings.
 */
const PART = "(?:[\\w-]{4})*(?:[\\w-][AQgw]|[\\w-]{2}[AEIMQUYcgkosw048])?";
const CANONICAL = new RegExp(`^${PART}\\.${PART}\\.${PART}$`);

export function isCanonicalToken(token: string): boolean {
  return token.length <= TOKEN_CHARS_MAX && CANONICAL.test(token);
}

const KID = /^[\w-]{1,64}$/;
const HEADER_MEMBERS = 3;

/**
 * The header decides which key is used, so it is read before any: `alg`, `typ` and `kid`, nothing more (no `jwk`,
 * `jku`, `crit`).
 */
function readKid(kind: TokenKind, token: string): Result<string, TokenRefusal> {
  if (token.length > TOKEN_CHARS_MAX) return fail("too_long");
  if (!isCanonicalToken(token)) return fail("not_canonical");
  const header = decodeProtectedHeader(token);
  if (header.alg !== TOKEN_ALGORITHM) return fail("algorithm_refused");
  if (header.typ !== tokenType(kind)) return fail("type_refused");
  if (Object.keys(header).length !== HEADER_MEMBERS) return fail("header_refused");
  return typeof header.kid === "string" && KID.test(header.kid) ? ok(header.kid) : fail("key_unknown");
}

async function verifiedPayload(
  rules: { readonly kind: TokenKind; readonly lifetimeSecondsMax: number },
  token: string,
  { key, issuer, nowMs }: Verification & { readonly key: CryptoKey },
): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token, key, {
    algorithms: [TOKEN_ALGORITHM],
    typ: tokenType(rules.kind),
    issuer,
    requiredClaims: ["iss", "aud", "sub", "iat", "exp"],
    // Without it jose takes an `iat` in the future.
    maxTokenAge: rules.lifetimeSecondsMax,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: new Date(nowMs),
  });
  return payload;
}

function readClaims<Claims extends { iat: number; exp: number }, Content>(
  rules: KindRules<Claims, Content>,
  payload: JWTPayload,
  accepted: AcceptedQueues,
): Result<Content, TokenRefusal> {
  const queueId = queueOfAudience(rules.kind, payload.aud);
  if (queueId === undefined || !acceptsQueue(accepted, queueId)) return fail("audience_wrong");
  const claims = rules.claims.safeParse(payload);
  if (!claims.success) return fail("claims_malformed");
  const lifetimeSeconds = claims.data.exp - claims.data.iat;
  if (lifetimeSeconds <= 0 || lifetimeSeconds > rules.lifetimeSecondsMax) return fail("lifetime_wrong");
  return ok(rules.read(claims.data, queueId));
}

/** Everything jose can throw, a TypeError for a key of the wrong kind included. */
function refusalOf(error: unknown): TokenRefusal {
  if (error instanceof errors.JWTExpired) return "expired";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "signature_wrong";
  if (!(error instanceof errors.JWTClaimValidationFailed)) return "unreadable";
  if (error.reason === "missing" || error.reason === "invalid") return "claims_malformed";
  if (error.claim === "iss") return "issuer_wrong";
  if (error.claim === "nbf" || error.claim === "iat") return "not_yet_valid";
  return "unreadable";
}
