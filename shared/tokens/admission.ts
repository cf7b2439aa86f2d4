import { z } from "zod";
import { HOST_PATTERN } from "../net/host-pattern.ts";
import { parseQueueId, type QueueId } from "../queue-id.ts";

/**
 * Tickets and passes, as the gate and the origin agree on them: names, claims and bounds. A ticket holds a place in the
 * line, a pass holds a slot. Both are JWTs of the gate, distinguished by `typ` and audience, each valid for one queue
 * only. An invite promises a place, a challenge asks for work before one: both are between a visitor and the gate.
 */
export type TokenKind = VisitorTokenKind | "invite" | "challenge";

/** Those that a visitor holds, in a cookie or as a bearer token. */
export type VisitorTokenKind = "ticket" | "pass";

/** The one algorithm, on the one curve: a token cannot choose another. */
export const TOKEN_ALGORITHM = "EdDSA";
export const TOKEN_CURVE = "Ed25519";

export const DEFAULT_ISSUER = "sluice";

/**
 * The edge hands the pass to the origin here. Clients cannot: the proxy removes every `x-sluice-*` header of theirs.
 */
export const PASS_HEADER = "x-sluice-pass";
export const JWKS_PATH = "/_sluice/jwks.json";

/** Ours have 400 to 1,600 characters; longer ones are refused unread. */
export const TOKEN_CHARS_MAX = 2_048;

/** The largest difference between two machines' clocks. */
export const CLOCK_TOLERANCE_SECONDS = 5;

export const PASS_LIFETIME_SECONDS_MAX = 24 * 60 * 60;
/** How long a silent visitor's place can be kept at most. */
export const RETURN_GRACE_SECONDS_MAX = 12 * 60 * 60;
export const TICKET_LIFETIME_SECONDS_MAX = 24 * 60 * 60 + RETURN_GRACE_SECONDS_MAX;

/** Session id of the passes that the edge mints for requests that need no slot. No visitor ever holds one. */
export const OPEN_SESSION_ID = "open";

export type Ticket = {
  readonly queueId: QueueId;
  readonly ticketId: string;
  /** The place in the line: lane first, then sequence. */
  readonly order: number;
  readonly lane: Lane;
  /** The place is one person's, on whatever device: see `Invite.person`. */
  readonly keyed?: true;
  readonly issuedAtSeconds: number;
  readonly expiresAtSeconds: number;
  /** The metadata that the visitor's program sent when it joined, as JSON. */
  readonly metadata?: string | undefined;
};

/** The metadata of a join, as JSON: it is part of the ticket, and every poll carries it. */
export const METADATA_BYTES_MAX = 512;

export type Pass = {
  readonly queueId: QueueId;
  /** The id of the ticket that was admitted. */
  readonly sessionId: string;
  readonly jti: string;
  readonly issuedAtSeconds: number;
  readonly expiresAtSeconds: number;
  readonly scope?: PassScope;
  /**
   * Signed for a session that holds its slot for the claim window only: the first request that presents the pass claims
   * the full time.
   */
  readonly unconfirmed?: true;
  /** Where the queue's requests go when not to the gate's own origin, sealed: only edges can read it. */
  readonly upstream?: string;
  /**
   * Issued while the queue was open: it holds no slot, and only the gate's own routes accept it, while the queue is
   * open.
   */
  readonly slotless?: true;
};

/**
 * The addresses that a pass is valid for, from the routes when it was signed: host and path of every route to its
 * queue, and, after a `!`, of the routes to other queues that come before one of these. An edge that starts while the
 * store is unavailable knows no routes and uses this. Left out when it would be too long.
 */
export type PassScope = readonly string[];

/** As JSON. A pass travels with every request. */
export const SCOPE_BYTES_MAX = 512;

/** 300 characters of an address, sealed. */
const UPSTREAM_CHARS_MAX = 512;

export type Lane = 0 | 1 | 2 | 3;

/** `sluice-ticket+jwt`, `sluice-pass+jwt`. */
export function tokenType(kind: TokenKind): string {
  return `sluice-${kind}+jwt`;
}

export function tokenAudience(kind: TokenKind, queueId: QueueId): string {
  return `sluice:${kind}:${queueId}`;
}

/** The queue of an audience, if it is one of this kind. */
export function queueOfAudience(kind: TokenKind, audience: unknown): QueueId | undefined {
  const prefix = `sluice:${kind}:`;
  if (typeof audience !== "string" || !audience.startsWith(prefix)) return undefined;
  const queueId = parseQueueId(audience.slice(prefix.length));
  return queueId.ok ? queueId.value : undefined;
}

/**
 * With `__Host-` no other host of the domain can plant a cookie of this name; browsers take the prefix on https only.
 */
export function tokenCookieName(
  kind: VisitorTokenKind,
  queueId: QueueId,
  { secure }: { readonly secure: boolean },
): string {
  return `${secure ? "__Host-" : ""}sluice-${kind}-${queueId}`;
}

/**
 * As jose reads it: whole seconds, and the tolerance on top. Anything but a proper number for the time means expired.
 */
export function isUnexpired(token: { readonly expiresAtSeconds: number }, nowMs: number): boolean {
  return token.expiresAtSeconds > Math.floor(nowMs / 1000) - CLOCK_TOLERANCE_SECONDS;
}

/**
 * How long past its end a token can still be accepted, by the store's time: a reader tolerates so much, and its clock
 * may be behind by as much again. The store's records about a token (used, spent or revoked) are kept until then.
 */
export const ACCEPTED_PAST_END_MS = 2 * CLOCK_TOLERANCE_SECONDS * 1000;

/** The last moment at which any edge may accept this token. */
export function acceptedUntilMs(token: { readonly expiresAtSeconds: number }): number {
  return token.expiresAtSeconds * 1000 + ACCEPTED_PAST_END_MS;
}

/** How long from now on any token may be accepted that has at most this much time left. */
export function acceptedForMs(lifeMs: number): number {
  return lifeMs + ACCEPTED_PAST_END_MS;
}

/** `*.shop.test/sale/*`, or the same after a `!`. */
const SCOPE_PATTERN = new RegExp(`^!?${HOST_PATTERN}/[^*?#\\s]*\\*?$`);

const scopeSchema = z.array(z.string().max(SCOPE_BYTES_MAX).regex(SCOPE_PATTERN)).min(1).max(SCOPE_BYTES_MAX);

export const idSchema = z.string().regex(/^[A-Za-z0-9_-]{22}$/);
const secondsSchema = z.int().min(0);

/** Claims we do not know are let through, so that a newer edge can add one while an older origin still runs. */
export const lifetimeClaims = { iat: secondsSchema, nbf: secondsSchema.optional(), exp: secondsSchema };

export const laneSchema = z.literal([0, 1, 2, 3]);

export const ticketClaimsSchema = z.object({
  ...lifetimeClaims,
  sub: idSchema,
  order: z.int(),
  lane: laneSchema,
  keyed: z.literal(true).optional(),
  metadata: z.string().max(METADATA_BYTES_MAX).optional(),
});

export const passClaimsSchema = z.object({
  ...lifetimeClaims,
  sub: z.union([idSchema, z.literal(OPEN_SESSION_ID)]),
  jti: idSchema,
  unconfirmed: z.literal(true).optional(),
  scope: scopeSchema.optional(),
  upstream: z
    .string()
    .regex(/^[\w-]+$/)
    .max(UPSTREAM_CHARS_MAX)
    .optional(),
  slotless: z.literal(true).optional(),
});

export type AcceptedQueues = readonly QueueId[] | "any";

export function acceptsQueue(accepted: AcceptedQueues, queueId: QueueId): boolean {
  return accepted === "any" || accepted.includes(queueId);
}
