import { newId } from "../../shared/ids.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import type { Ticket } from "../../shared/tokens/admission.ts";
import { laneOf } from "../line/order.ts";
import { type QueueSettings, TICKET_REISSUE_MS, ticketLifeMs } from "../line/settings.ts";
import type { Tokens } from "../tokens/tokens.ts";
import type { GuardedQueue } from "./open-gate.ts";
import { passEndMs } from "./sessions/sessions.ts";

/** The tickets and passes that the gate hands out. */
export type IssuedTicket = { readonly token: string; readonly ticket: Ticket; readonly isNew: boolean };
export type IssuedPass = { readonly token: string; readonly sessionId: string; readonly expiresAtMs: number };

type NewTicket = {
  readonly queueId: QueueId;
  readonly ticketId: string;
  readonly order: number;
  readonly enqueuedAtMs: number;
  readonly keyed?: true | undefined;
  readonly metadata?: string | undefined;
  /**
   * When the ticket ends that this one replaces: what is known about a used ticket is kept by the end of the last one.
   */
  readonly expiresAtSeconds?: number | undefined;
};

type At = { readonly nowMs: number; readonly settings: QueueSettings };

/** `iat` is when the visitor joined, however often the ticket is signed again. */
export async function issueTicket(tokens: Tokens, place: NewTicket, { nowMs, settings }: At): Promise<IssuedTicket> {
  const { queueId, ticketId, order, enqueuedAtMs, keyed, metadata, expiresAtSeconds = 0 } = place;
  const lane = laneOf(order);
  const expiresAtMs = Math.max(nowMs + ticketLifeMs(settings), expiresAtSeconds * 1000);
  const token = await tokens.signTicket({
    queueId,
    ticketId,
    order,
    lane,
    keyed,
    metadata,
    nowMs: enqueuedAtMs,
    expiresAtMs,
  });
  const issuedAtSeconds = Math.floor(enqueuedAtMs / 1000);
  const ticket = {
    queueId,
    ticketId,
    order,
    lane,
    ...(keyed && { keyed }),
    ...(metadata !== undefined && { metadata }),
    issuedAtSeconds,
    expiresAtSeconds: Math.floor(expiresAtMs / 1000),
  };
  return { token, ticket, isNew: true };
}

type Held = { readonly token: string; readonly ticket: Ticket };

/** A ticket lives long enough to return with; it is signed again only when it has aged or its place has changed. */
export async function keepTicket(
  tokens: Tokens,
  held: Held & { readonly order: number },
  at: At,
): Promise<IssuedTicket> {
  const { token, ticket, order } = held;
  const remainingMs = ticket.expiresAtSeconds * 1000 - at.nowMs;
  if (order === ticket.order && remainingMs > ticketLifeMs(at.settings) - TICKET_REISSUE_MS)
    return { token, ticket, isNew: false };
  return issueTicket(tokens, { ...ticket, order, enqueuedAtMs: ticket.issuedAtSeconds * 1000 }, at);
}

type NewPass = {
  readonly sessionId: string;
  readonly slotEndMs: number;
  /** The line has just let the visitor in, and the slot is held for the claim window only. */
  readonly unconfirmed?: true;
  /** Of an open queue: there is no slot. */
  readonly slotless?: true;
};

/** Undefined when the slot is as good as over. */
export async function issuePass(
  { gate, queueId, settings }: Pick<GuardedQueue, "gate" | "queueId" | "settings">,
  { sessionId, slotEndMs, unconfirmed, slotless }: NewPass,
): Promise<IssuedPass | undefined> {
  const nowMs = gate.clock.nowMs();
  const expiresAtMs = passEndMs(slotEndMs);
  // Whole seconds at both ends, and at least one between them.
  if (Math.floor(expiresAtMs / 1000) <= Math.floor(nowMs / 1000)) return undefined;
  const upstream = settings.targetUrl === null ? undefined : await gate.sealedTexts.seal(settings.targetUrl);
  const jti = newId(gate.fillRandom);
  const where = { scope: gate.directory.scopeOf(queueId), upstream };
  const token = await gate.tokens.signPass({
    queueId,
    sessionId,
    jti,
    nowMs,
    expiresAtMs,
    unconfirmed,
    ...where,
    slotless,
  });
  return { token, sessionId, expiresAtMs: slotEndMs };
}
