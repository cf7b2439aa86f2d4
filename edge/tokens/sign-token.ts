import { type CryptoKey, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import { assert } from "../../shared/assert.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import {
  type Lane,
  PASS_LIFETIME_SECONDS_MAX,
  type PassScope,
  TICKET_LIFETIME_SECONDS_MAX,
  TOKEN_ALGORITHM,
  type TokenKind,
  tokenAudience,
  tokenType,
} from "../../shared/tokens/admission.ts";
import type { Keyring } from "../../shared/tokens/keyring.ts";
import { CHALLENGE_LIFETIME_SECONDS_MAX, type Challenge } from "./challenge.ts";
import { INVITE_LIFETIME_SECONDS_MAX, type Invite } from "./invite.ts";

export type Signer = { readonly keyring: Keyring; readonly issuer: string; readonly writeToken: WriteToken };

type UnsignedToken = {
  readonly header: JWTHeaderParameters & { readonly kid: string };
  readonly claims: JWTPayload;
  readonly key: CryptoKey;
};

/** Writes a token down in its compact form and signs it. A runtime that can sign at once brings its own way. */
export type WriteToken = (token: UnsignedToken) => string | Promise<string>;

export const writeWithJose: WriteToken = ({ header, claims, key }) =>
  new SignJWT(claims).setProtectedHeader(header).sign(key);

/**
 * Give the store's time where there is one: with an edge's own clock an hour off, other edges would refuse what it
 * signs.
 */
type Lifetime = { readonly nowMs: number; readonly expiresAtMs: number };

export type TicketFacts = Lifetime & {
  readonly queueId: QueueId;
  readonly ticketId: string;
  readonly order: number;
  readonly lane: Lane;
  readonly keyed?: true | undefined;
  readonly metadata?: string | undefined;
};

export type PassFacts = Lifetime & {
  readonly queueId: QueueId;
  readonly sessionId: string;
  readonly jti: string;
  readonly unconfirmed?: true | undefined;
  readonly scope?: PassScope | undefined;
  readonly upstream?: string | undefined;
  readonly slotless?: true | undefined;
};

export function signTicket(
  signer: Signer,
  { ticketId, order, lane, keyed, metadata, ...facts }: TicketFacts,
): Promise<string> {
  assert(Number.isSafeInteger(order), "a place in the line is a whole number");
  return sign(signer, {
    ...facts,
    kind: "ticket",
    subject: ticketId,
    claims: { order, lane, ...(keyed && { keyed }), ...(metadata && { metadata }) },
  });
}

export function signPass(
  signer: Signer,
  { sessionId, jti, unconfirmed, scope, upstream, slotless, ...facts }: PassFacts,
): Promise<string> {
  const claims = {
    jti,
    ...(unconfirmed && { unconfirmed }),
    ...(scope !== undefined && { scope }),
    ...(upstream !== undefined && { upstream }),
    ...(slotless && { slotless }),
  };
  return sign(signer, { ...facts, kind: "pass", subject: sessionId, claims });
}

export type InviteFacts = Lifetime & Pick<Invite, "queueId" | "inviteId" | "lane" | "uses" | "person">;

export function signInvite(signer: Signer, { inviteId, lane, uses, person, ...facts }: InviteFacts): Promise<string> {
  return sign(signer, {
    ...facts,
    kind: "invite",
    subject: inviteId,
    claims: { lane, uses, ...(person !== undefined && { person }) },
  });
}

export type ChallengeFacts = Lifetime & Pick<Challenge, "queueId" | "challengeId" | "bits" | "address">;

export function signChallenge(
  signer: Signer,
  { challengeId, bits, address, ...facts }: ChallengeFacts,
): Promise<string> {
  const claims = { bits, ...(address !== undefined && { address }) };
  return sign(signer, { ...facts, kind: "challenge", subject: challengeId, claims });
}

type TokenFacts = Lifetime & {
  readonly kind: TokenKind;
  readonly queueId: QueueId;
  readonly subject: string;
  readonly claims: Readonly<Record<string, string | number | true | PassScope>>;
};

const LIFETIME_SECONDS_MAX: Readonly<Record<TokenKind, number>> = {
  ticket: TICKET_LIFETIME_SECONDS_MAX,
  pass: PASS_LIFETIME_SECONDS_MAX,
  invite: INVITE_LIFETIME_SECONDS_MAX,
  challenge: CHALLENGE_LIFETIME_SECONDS_MAX,
};

/**
 * Both ends are cut to whole seconds, so that a token never outlives what it stands for by more than the clock
 * tolerance, and one that would live too long ends at its bound: no side would accept it otherwise.
 */
async function sign(
  signer: Signer,
  { kind, queueId, subject, claims, nowMs, expiresAtMs }: TokenFacts,
): Promise<string> {
  const { keyring, issuer, writeToken } = signer;
  const issuedAtSeconds = Math.floor(nowMs / 1000);
  const expiresAtSeconds = Math.min(Math.floor(expiresAtMs / 1000), issuedAtSeconds + LIFETIME_SECONDS_MAX[kind]);
  assert(expiresAtSeconds > issuedAtSeconds, `a ${kind} lives at least a second`);
  return writeToken({
    header: { alg: TOKEN_ALGORITHM, typ: tokenType(kind), kid: keyring.active.kid },
    claims: {
      ...claims,
      iss: issuer,
      aud: tokenAudience(kind, queueId),
      sub: subject,
      iat: issuedAtSeconds,
      exp: expiresAtSeconds,
    },
    key: keyring.active.privateKey,
  });
}
