import { CLOCK_TOLERANCE_SECONDS, type Lane, type Pass, type Ticket } from "../../shared/admission.ts";
import { type FillRandom, newId } from "../../shared/ids.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import { type QueueSettings, TICKET_REISSUE_MS, ticketLifeMs } from "../queue/settings.ts";
import type { Tokens } from "../token/tokens.ts";

/** The tickets and passes that the gate hands out. */
export type IssuedTicket = { readonly token: string; readonly ticket: Ticket; readonly isNew: boolean };
export type IssuedPass = { readonly token: string; readonly sessionId: string; readonly expiresAtMs: number };

type NewTicket = {
  readonly queueId: QueueId;
  readonly ticketId: string;
  readonly order: number;
  readonly lane: Lane;
  readonly enqueuedAtMs: number;
};

type At = { readonly nowMs: number; readonly settings: QueueSettings };

/** `iat` is when the visitor joined, however often the ticket is signed anew. */
export async function issueTicket(tokens: Tokens, place: NewTicket, { nowMs, settings }: At): Promise<IssuedTicket> {
  const { queueId, ticketId, order, lane, enqueuedAtMs } = place;
  const expiresAtMs = nowMs + ticketLifeMs(settings);
  const token = await tokens.signTicket({ queueId, ticketId, order, lane, nowMs: enqueuedAtMs, expiresAtMs });
  const issuedAtSeconds = Math.floor(enqueuedAtMs / 1000);
  const ticket = { queueId, ticketId, order, lane, issuedAtSeconds, expiresAtSeconds: Math.floor(expiresAtMs / 1000) };
  return { token, ticket, isNew: true };
}

type Held = { readonly token: string; readonly ticket: Ticket };

/** A ticket lasts long enough to come back with; it is signed anew only when it has aged, or when its place is another. */
export async function keepTicket(tokens: Tokens, held: Held & { readonly order: number }, at: At): Promise<IssuedTicket> {
  const { token, ticket, order } = held;
  const remainingMs = ticket.expiresAtSeconds * 1000 - at.nowMs;
  if (order === ticket.order && remainingMs > ticketLifeMs(at.settings) - TICKET_REISSUE_MS) return { token, ticket, isNew: false };
  return issueTicket(tokens, { ...ticket, order, enqueuedAtMs: ticket.issuedAtSeconds * 1000 }, at);
}

type NewPass = { readonly queueId: QueueId; readonly sessionId: string; readonly slotEndMs: number };

/** Undefined when the slot is as good as over. */
export async function issuePass(
  tokens: Tokens,
  { queueId, sessionId, slotEndMs }: NewPass,
  { nowMs, fillRandom }: { readonly nowMs: number; readonly fillRandom: FillRandom },
): Promise<IssuedPass | undefined> {
  const expiresAtMs = passEndMs(slotEndMs);
  // Whole seconds at both ends, and at least one between them.
  if (Math.floor(expiresAtMs / 1000) <= Math.floor(nowMs / 1000)) return undefined;
  const token = await tokens.signPass({ queueId, sessionId, jti: newId(fillRandom), nowMs, expiresAtMs });
  return { token, sessionId, expiresAtMs: slotEndMs };
}

/** Readers take a pass for a few seconds past its end, for clocks that differ. That time is the slot's too, never longer. */
export function passEndMs(slotEndMs: number): number {
  return slotEndMs - CLOCK_TOLERANCE_SECONDS * 1000;
}

/** The slot that a pass stands for, as far as the pass knows. */
export function slotEndMs({ expiresAtSeconds }: Pass): number {
  return (expiresAtSeconds + CLOCK_TOLERANCE_SECONDS) * 1000;
}
