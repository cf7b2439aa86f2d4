import { SignJWT } from "jose";
import {
  type Lane,
  PASS_LIFETIME_SECONDS_MAX,
  TICKET_LIFETIME_SECONDS_MAX,
  TOKEN_ALGORITHM,
  type TokenKind,
  tokenAudience,
  tokenType,
} from "../../shared/admission.ts";
import { assert } from "../../shared/assert.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import type { Keyring } from "./keyring.ts";

export type Signer = { readonly keyring: Keyring; readonly issuer: string };

/** Give the store's time where there is one: with an edge's own clock an hour off, other edges would refuse what it signs. */
type Lifetime = { readonly nowMs: number; readonly expiresAtMs: number };

export type TicketFacts = Lifetime & {
  readonly queueId: QueueId;
  readonly ticketId: string;
  readonly order: number;
  readonly lane: Lane;
};

export type PassFacts = Lifetime & { readonly queueId: QueueId; readonly sessionId: string; readonly jti: string };

export function signTicket(signer: Signer, { ticketId, order, lane, ...facts }: TicketFacts): Promise<string> {
  assert(Number.isSafeInteger(order), "a place in the line is a whole number");
  return sign(signer, { ...facts, kind: "ticket", subject: ticketId, claims: { order, lane } });
}

export function signPass(signer: Signer, { sessionId, jti, ...facts }: PassFacts): Promise<string> {
  return sign(signer, { ...facts, kind: "pass", subject: sessionId, claims: { jti } });
}

type TokenFacts = Lifetime & {
  readonly kind: TokenKind;
  readonly queueId: QueueId;
  readonly subject: string;
  readonly claims: Readonly<Record<string, string | number>>;
};

const LIFETIME_SECONDS_MAX = { ticket: TICKET_LIFETIME_SECONDS_MAX, pass: PASS_LIFETIME_SECONDS_MAX };

/**
 * Both ends are cut to whole seconds, so that a token never outlives what it stands for by more than the clock tolerance, and one
 * that would live too long ends at its bound: no side would accept it otherwise.
 */
async function sign({ keyring, issuer }: Signer, { kind, queueId, subject, claims, nowMs, expiresAtMs }: TokenFacts): Promise<string> {
  const issuedAtSeconds = Math.floor(nowMs / 1000);
  const expiresAtSeconds = Math.min(Math.floor(expiresAtMs / 1000), issuedAtSeconds + LIFETIME_SECONDS_MAX[kind]);
  assert(expiresAtSeconds > issuedAtSeconds, `a ${kind} lives at least a second`);
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: tokenType(kind), kid: keyring.active.kid })
    .setIssuer(issuer)
    .setAudience(tokenAudience(kind, queueId))
    .setSubject(subject)
    .setIssuedAt(issuedAtSeconds)
    .setExpirationTime(expiresAtSeconds)
    .sign(keyring.active.privateKey);
}
