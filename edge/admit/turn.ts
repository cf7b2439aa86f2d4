import { acceptedUntilMs } from "../../shared/admission.ts";
import { newId } from "../../shared/ids.ts";
import { addressIdentity } from "../../shared/ip-address.ts";
import type { LimitVerdict } from "../../shared/limit.ts";
import { log } from "../log.ts";
import type { EndReason, LineAnswer, ScheduledAnswer, WaitingAnswer } from "../queue/answer.ts";
import { placesOpenAt, pollBeforePlaces } from "../queue/schedule.ts";
import { enterDrawn, placeOfTicket } from "./drawn-place.ts";
import { askEnding } from "./ending.ts";
import { type IssuedPass, type IssuedTicket, issuePass, issueTicket, keepTicket } from "./issue.ts";
import { backgroundLineOf, type Gate, type GuardedQueue, openLineOf, randomFraction } from "./open-gate.ts";
import { StoreUnavailable } from "./outage.ts";
import type { HeldTicket } from "./presented.ts";
import type { CheckedProof } from "./proof-of-work.ts";
import { noteMetadata } from "./session-metadata.ts";

/** How a visitor stands after one question to the line: what the rules of the gate and every answer to a visitor are made from. */
export type Turn =
  | { readonly state: "waiting"; readonly answer: WaitingAnswer; readonly issued: IssuedTicket }
  | ScheduledTurn
  | { readonly state: "admitted"; readonly pass: IssuedPass }
  | { readonly state: "ended"; readonly reason: Exclude<EndReason, "revoked"> }
  /** By an operator or the application: its visitor joins again only on purpose, and not before `banLeftMs` have passed. */
  | { readonly state: "revoked"; readonly banLeftMs: number }
  | { readonly state: "rate_limited"; readonly verdict: LimitVerdict }
  | { readonly state: "closed" | "over" | "full" | "address_limit" | "missing" | "unavailable" | "failed" }
  | { readonly state: "invite_used" | "invite_revoked" | "proof_spent" };

/** Nobody can take a place yet. */
export type ScheduledTurn = {
  readonly state: "scheduled";
  readonly placesOpenAtMs: number;
  readonly opensAtMs: number;
  readonly pollAfterMs: number;
};

/** A newcomer takes a place, or walks in. One store call, or none for an address that has asked too often, or much too early. */
export async function enter(queue: GuardedQueue, address: string | undefined, proof?: CheckedProof): Promise<Turn> {
  const { gate, settings } = queue;
  const verdict = joinVerdict(queue, address);
  if (verdict?.isOver) return { state: "rate_limited", verdict };
  const early = tooEarly(queue);
  if (early !== undefined) return early;
  const ticketId = newId(gate.fillRandom);
  const { ticketsPerIp } = settings;
  // Without an address nobody can be counted, and to lump all those together would lock them out.
  const isCounted = ticketsPerIp > 0 && address !== undefined;
  return take(queue, ticketId, async () => {
    const addressHash = isCounted ? await gate.hashAddress(addressIdentity(address)) : NOT_COUNTED;
    const visitor = { ticketId, lane: 0, addressHash, ticketsPerIp: isCounted ? ticketsPerIp : 0, proof };
    const answer = await enterDrawn(queue, visitor);
    return { answer, ticketOf: (order) => issueTicket(gate.tokens, newPlace(queue, { ticketId, order }), at(queue)) };
  });
}

const NOT_COUNTED = "-";

/** A crowd that waits for the opening, or comes when all is over, is told so without asking the store. */
export function tooEarly({ gate, settings, phase }: GuardedQueue): Turn | undefined {
  if (phase === "over") return { state: settings.mode === "drain" ? "closed" : "over" };
  const placesOpenAtMs = placesOpenAt(settings);
  if (phase !== "scheduled" || placesOpenAtMs === null || settings.opensAt === null) return undefined;
  return scheduled(gate, { placesOpenAtMs, opensAtMs: settings.opensAt, nowMs: gate.clock.nowMs() });
}

function scheduled({ fillRandom }: Gate, { placesOpenAtMs, opensAtMs, nowMs }: Omit<ScheduledAnswer, "state">): ScheduledTurn {
  const pollAfterMs = pollBeforePlaces({ leftMs: placesOpenAtMs - nowMs, random: randomFraction(fillRandom)() });
  return { state: "scheduled", placesOpenAtMs, opensAtMs, pollAfterMs };
}

/** A visitor polls, claims, or comes back. One store call, or none for a poll that comes too early or too often. */
export async function beat(queue: GuardedQueue, held: HeldTicket, address: string | undefined): Promise<Turn> {
  const { gate } = queue;
  const { ticketId, keyed: isKeyed = false } = held.ticket;
  const verdict = queue.answers.isDue(ticketId) ? undefined : pollVerdict(queue, ticketId, address);
  if (verdict?.isOver) return { state: "rate_limited", verdict };
  const keep = (place: number) => keepTicket(gate.tokens, { ...held, order: place }, at(queue));
  const early = queue.answers.early(ticketId);
  if (early !== undefined) return { state: "waiting", answer: early, issued: await keep(early.order) };
  const turn = await take(queue, ticketId, async () => {
    const order = await placeOfTicket(queue, held.ticket);
    const visitor = { ticketId, isKeyed, ticketLeftMs: ticketLeftMs(queue, held) };
    const answer = order === undefined ? LONG_GONE : await openLineOf(queue).beat({ ...visitor, order });
    return { answer, ticketOf: keep };
  });
  if (turn.state === "admitted") noteMetadata(queue, { sessionId: turn.pass.sessionId, metadata: held.ticket.metadata });
  return turn;
}

/** How long this very ticket can still be accepted. */
export function ticketLeftMs({ gate }: GuardedQueue, { ticket }: HeldTicket): number {
  return acceptedUntilMs(ticket) - gate.clock.nowMs();
}

const LONG_GONE = { state: "ended", reason: "expired" } as const;

export function joinVerdict({ gate: { limits } }: GuardedQueue, address: string | undefined): LimitVerdict | undefined {
  return address === undefined ? undefined : limits.joins.take(addressIdentity(address));
}

export function pollVerdict({ gate: { limits } }: GuardedQueue, ticketId: string, address: string | undefined): LimitVerdict {
  const own = limits.polls.take(ticketId);
  if (own.isOver || address === undefined) return own;
  const shared = limits.pollsOfAddress.take(addressIdentity(address));
  return shared.isOver ? shared : own;
}

type Asked = { readonly answer: LineAnswer; readonly ticketOf: (order: number) => Promise<IssuedTicket> };

/** An outage has an answer of its own for each queue; any other error is refused, never admitted by accident. */
export async function take(queue: GuardedQueue, ticketId: string, ask: () => Promise<Asked>): Promise<Turn> {
  try {
    const { answer, ticketOf } = await ask();
    return await toTurn(queue, ticketId, answer, ticketOf);
  } catch (error) {
    if (error instanceof StoreUnavailable) return { state: "unavailable" };
    log("error", "the line could not be asked", { queueId: queue.queueId, error });
    return { state: "failed" };
  }
}

async function toTurn(queue: GuardedQueue, ticketId: string, answer: LineAnswer, ticketOf: Asked["ticketOf"]): Promise<Turn> {
  if (answer.state === "waiting") {
    queue.answers.remember(ticketId, answer);
    if (answer.hasMore) queue.sweeps.more(backgroundLineOf(queue), queue.later);
    return { state: "waiting", answer, issued: await ticketOf(answer.order) };
  }
  queue.answers.forget(ticketId);
  switch (answer.state) {
    case "admitted":
      if (answer.holdMs > 0) await pause(answer.holdMs);
      return admitted(queue, ticketId, answer.expiresAtMs);
    case "refused":
      return { state: answer.reason };
    case "scheduled":
      return scheduled(queue.gate, answer);
    case "draw_changed":
      // Twice in one request: the next one knows.
      return { state: "failed" };
    case "none":
      return { state: "missing" };
    case "person":
      throw new Error("only a join with an invite hears of a person");
    case "ended":
      return answer.reason === "revoked" ? askEnding(queue, { sessionId: ticketId }) : { state: "ended", reason: answer.reason };
  }
}

/** The visitor came early, as asked: the entry time is this far ahead. */
function pause(holdMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, holdMs));
}

async function admitted(queue: GuardedQueue, sessionId: string, slotEndMs: number): Promise<Turn> {
  // Also for an answer that is repeated, when the session may have been claimed meanwhile: to claim it again changes nothing.
  const pass = await issuePass(queue, { sessionId, slotEndMs, unconfirmed: true });
  return pass === undefined ? { state: "ended", reason: "expired" } : { state: "admitted", pass };
}

function newPlace({ gate, queueId }: GuardedQueue, { ticketId, order }: { readonly ticketId: string; readonly order: number }) {
  return { queueId, ticketId, order, enqueuedAtMs: gate.clock.nowMs() };
}

function at({ gate, settings }: GuardedQueue) {
  return { nowMs: gate.clock.nowMs(), settings };
}
