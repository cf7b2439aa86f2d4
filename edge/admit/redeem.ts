import { newId } from "../../shared/ids.ts";
import { acceptedUntilMs } from "../../shared/tokens/admission.ts";
import type { LineAnswer, PersonAnswer } from "../line/answer.ts";
import { log } from "../request/log.ts";
import type { Invite } from "../tokens/invite.ts";
import { issueTicket } from "./issue.ts";
import { backgroundLineOf, type GuardedQueue, openLineOf } from "./open-gate.ts";
import { StoreUnavailable } from "./outage/outage.ts";
import type { HeldTicket } from "./presented.ts";
import { noteMetadata } from "./sessions/session-metadata.ts";
import {
  enterDrawn,
  joinVerdict,
  placeOfTicket,
  pollVerdict,
  type Turn,
  take,
  ticketLeftMs,
  tooEarly,
} from "./turn.ts";

type Bearer = {
  readonly invite: Invite;
  /** Of a visitor who waits already. */
  readonly held: HeldTicket | undefined;
  /** At `enter`: the visitor asks for a new place although the one before was revoked. */
  readonly isOnPurpose: boolean;
};

/**
 * Redeems an invite. A newcomer takes a place in its lane; a visitor who waits in a lower lane moves there; a visitor
 * who waits in the same or a higher lane keeps the place, and the invite is not used. One store call. The person whom
 * an invite names, coming again, gets the place taken before, on any device: that takes a second call, and a third if
 * that place is used and the invite is good for another one.
 *
 * Invites count neither for `ticketsPerIp` nor for proof of work: an operator vouches for them, and their uses are
 * bounded.
 */
export async function redeem(queue: GuardedQueue, { invite, held, isOnPurpose }: Bearer): Promise<Turn> {
  const verdict = held === undefined ? joinVerdict(queue) : pollVerdict(queue, held.ticket.ticketId);
  if (verdict?.isOver) return { state: "rate_limited", verdict };
  const anew = () => redeemAs(queue, { invite, ticketId: newId(queue.gate.fillRandom), isOnPurpose });
  if (held === undefined) return tooEarly(queue) ?? anew();
  const order = await placeOrUnavailable(queue, held);
  if (order === "unavailable") return { state: "unavailable" };
  const turn =
    order === undefined
      ? LONG_GONE
      : await redeemAs(queue, { invite, ticketId: held.ticket.ticketId, held: { ...held, order }, isOnPurpose });
  if (turn.state === "admitted")
    noteMetadata(queue, { sessionId: turn.pass.sessionId, metadata: held.ticket.metadata });
  // A used ticket counts as missing.
  return isPlaceOver(turn, isOnPurpose) ? anew() : turn;
}

/** A new place may be taken for it. After a revocation only on purpose, and not while its visitor is banned. */
function isPlaceOver(turn: Turn, isOnPurpose: boolean): boolean {
  return turn.state === "ended" || (turn.state === "revoked" && isOnPurpose && turn.banLeftMs === 0);
}

const LONG_GONE = { state: "ended", reason: "expired" } as const;

async function placeOrUnavailable(
  queue: GuardedQueue,
  { ticket }: HeldTicket,
): Promise<number | undefined | "unavailable"> {
  try {
    return await placeOfTicket(queue, ticket);
  } catch (error) {
    if (error instanceof StoreUnavailable) return "unavailable";
    throw error;
  }
}

type Redemption = {
  readonly invite: Invite;
  readonly ticketId: string;
  /** The place of a visitor who waits already. */
  readonly held?: HeldTicket & { readonly order: number };
  /** A ticket that this person had before and that is used up. */
  readonly replaced?: string;
  readonly isOnPurpose: boolean;
};

async function redeemAs(queue: GuardedQueue, redemption: Redemption): Promise<Turn> {
  let known: PersonAnswer | undefined;
  const turn = await take(queue, redemption.ticketId, async () => {
    const answer = await useInvite(queue, redemption);
    if (answer.state === "person") known = answer;
    return { answer: answer.state === "person" ? NOT_YET : answer, ticketOf: ticketOf(queue, redemption) };
  });
  return known === undefined ? turn : takePlaceOf(queue, redemption, known);
}

/** Stands for the answer that the second question gets. */
const NOT_YET = { state: "none" } as const;

/**
 * The place that this person has on another device, or a new one if that is over. One person, one place: the better of
 * two is kept.
 */
async function takePlaceOf(queue: GuardedQueue, redemption: Redemption, known: PersonAnswer): Promise<Turn> {
  const { invite, held, isOnPurpose } = redemption;
  const keepsOwn = held !== undefined && held.order < known.order;
  const { ticketId, order } = keepsOwn ? { ticketId: held.ticket.ticketId, order: held.order } : known;
  const enqueuedAtMs = keepsOwn ? held.ticket.issuedAtSeconds * 1000 : known.enqueuedAtMs;
  const turn = await take(queue, ticketId, async () => {
    const answer = await openLineOf(queue).beat({ ticketId, order, isKeyed: true });
    return { answer, ticketOf: ticketOf(queue, { invite, ticketId, isOnPurpose }, enqueuedAtMs) };
  });
  if (isPlaceOver(turn, isOnPurpose) && !keepsOwn) return takeAnother(queue, redemption, known.ticketId);
  if (held !== undefined && !keepsOwn && (turn.state === "waiting" || turn.state === "admitted")) giveUp(queue, held);
  return turn;
}

/** If the person has a place again, a concurrent request was faster: the next request finds it. */
function takeAnother(queue: GuardedQueue, { invite, isOnPurpose }: Redemption, replaced: string): Promise<Turn> {
  const redemption = { invite, ticketId: newId(queue.gate.fillRandom), replaced, isOnPurpose };
  return take(queue, redemption.ticketId, async () => {
    const answer = await useInvite(queue, redemption);
    return {
      answer: answer.state === "person" ? { state: "refused", reason: "invite_used" } : answer,
      ticketOf: ticketOf(queue, redemption),
    };
  });
}

function giveUp(queue: GuardedQueue, held: HeldTicket): void {
  const left = backgroundLineOf(queue).leave({
    ticketId: held.ticket.ticketId,
    ticketLeftMs: ticketLeftMs(queue, held),
  });
  queue.later(left.catch((error: unknown) => log("warn", "cannot give up a place", { queueId: queue.queueId, error })));
}

const NOT_COUNTED = { addressHash: "-", ticketsPerIp: 0 };

function useInvite(queue: GuardedQueue, { invite, ticketId, held, replaced }: Redemption): Promise<LineAnswer> {
  const { inviteId, uses, person, lane } = invite;
  const use = { inviteId, uses, person, keptUntilMs: acceptedUntilMs(invite), replaced };
  const ticketLeft = held === undefined ? undefined : ticketLeftMs(queue, held);
  return enterDrawn(queue, {
    ticketId,
    lane,
    ...NOT_COUNTED,
    invite: use,
    heldOrder: held?.order,
    ticketLeftMs: ticketLeft,
  });
}

function ticketOf(
  { gate, queueId, settings }: GuardedQueue,
  { invite, ticketId, held }: Redemption,
  joinedAtMs?: number,
) {
  const nowMs = gate.clock.nowMs();
  const enqueuedAtMs = joinedAtMs ?? (held === undefined ? nowMs : held.ticket.issuedAtSeconds * 1000);
  const keyed = invite.person === undefined ? undefined : (true as const);
  const metadata = held?.ticket.metadata;
  const replaced = held?.ticket.expiresAtSeconds;
  const place = { queueId, ticketId, enqueuedAtMs, keyed, metadata, expiresAtSeconds: replaced };
  return (order: number) => issueTicket(gate.tokens, { ...place, order }, { nowMs, settings });
}
