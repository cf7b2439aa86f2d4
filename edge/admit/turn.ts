import { type Drawn, orderOf, placeOf } from "../../shared/draw.ts";
import type { LimitVerdict } from "../../shared/http/limit.ts";
import { newId } from "../../shared/ids.ts";
import { addressIdentity } from "../../shared/net/ip-address.ts";
import { acceptedUntilMs, type Ticket } from "../../shared/tokens/admission.ts";
import type { EndReason, LineAnswer, ScheduledAnswer, WaitingAnswer } from "../line/answer.ts";
import type { Line } from "../line/line.ts";
import { type Draw, openRegistry } from "../line/registry.ts";
import { placesOpenAt, pollBeforePlaces } from "../line/schedule.ts";
import { log } from "../request/log.ts";
import { type IssuedPass, type IssuedTicket, issuePass, issueTicket, keepTicket } from "./issue.ts";
import { backgroundLineOf, type Gate, type GuardedQueue, openLineOf, randomFraction } from "./open-gate.ts";
import { StoreUnavailable } from "./outage/outage.ts";
import type { HeldTicket } from "./presented.ts";
import type { CheckedProof } from "./proof-of-work.ts";
import { askEnding } from "./sessions/ending.ts";
import { noteMetadata } from "./sessions/session-metadata.ts";

/**
 * How a visitor stands after one question to the line: what the rules of the gate and every answer to a visitor are
 * made from.
 */
export type Turn =
  | { readonly state: "waiting"; readonly answer: WaitingAnswer; readonly issued: IssuedTicket }
  | ScheduledTurn
  | { readonly state: "admitted"; readonly pass: IssuedPass }
  | { readonly state: "ended"; readonly reason: Exclude<EndReason, "revoked"> }
  /**
   * By an operator or the application: its visitor joins again only on purpose, and not before `banLeftMs` have passed.
   */
  | { readonly state: "revoked"; readonly banLeftMs: number }
  | { readonly state: "rate_limited"; readonly verdict: LimitVerdict }
  | { readonly state: "closed" | "over" | "full" | "address_limit" | "missing" | "unavailable" | "failed" }
  | { readonly state: "invite_used" | "invite_revoked" | "proof_spent" };

/** Places cannot be taken yet. */
export type ScheduledTurn = {
  readonly state: "scheduled";
  readonly placesOpenAtMs: number;
  readonly opensAtMs: number;
  readonly pollAfterMs: number;
};

/**
 * A newcomer takes a place, or walks in. One store call, or none for an address that has asked too often, or much too
 * early.
 */
export async function enter(queue: GuardedQueue, proof?: CheckedProof): Promise<Turn> {
  const { gate, settings, clientAddress: address } = queue;
  const verdict = joinVerdict(queue);
  if (verdict?.isOver) return { state: "rate_limited", verdict };
  const early = tooEarly(queue);
  if (early !== undefined) return early;
  const ticketId = newId(gate.fillRandom);
  const { ticketsPerIp } = settings;
  // Visitors without an address are not counted: one shared count would lock them all out.
  const isCounted = ticketsPerIp > 0 && address !== undefined;
  return take(queue, ticketId, async () => {
    const addressHash = isCounted ? await gate.hashAddress(addressIdentity(address)) : NOT_COUNTED;
    const visitor = { ticketId, lane: 0, addressHash, ticketsPerIp: isCounted ? ticketsPerIp : 0, proof };
    const answer = await enterDrawn(queue, visitor);
    return { answer, ticketOf: (order) => issueTicket(gate.tokens, newPlace(queue, { ticketId, order }), at(queue)) };
  });
}

const NOT_COUNTED = "-";

/** A crowd that comes before the event or after it gets its answer without a store call. */
export function tooEarly({ gate, settings, phase }: GuardedQueue): Turn | undefined {
  if (phase === "over") return { state: settings.mode === "drain" ? "closed" : "over" };
  const placesOpenAtMs = placesOpenAt(settings);
  if (phase !== "scheduled" || placesOpenAtMs === null || settings.opensAt === null) return undefined;
  return scheduled(gate, { placesOpenAtMs, opensAtMs: settings.opensAt, nowMs: gate.clock.nowMs() });
}

function scheduled(
  { fillRandom }: Gate,
  { placesOpenAtMs, opensAtMs, nowMs }: Omit<ScheduledAnswer, "state">,
): ScheduledTurn {
  const pollAfterMs = pollBeforePlaces({ leftMs: placesOpenAtMs - nowMs, random: randomFraction(fillRandom)() });
  return { state: "scheduled", placesOpenAtMs, opensAtMs, pollAfterMs };
}

/** A visitor polls, claims, or comes back. One store call, or none for a poll that comes too early or too often. */
export async function beat(queue: GuardedQueue, held: HeldTicket): Promise<Turn> {
  const { gate } = queue;
  const { ticketId, keyed: isKeyed = false } = held.ticket;
  const verdict = queue.answers.isDue(ticketId) ? undefined : pollVerdict(queue, ticketId);
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
  if (turn.state === "admitted")
    noteMetadata(queue, { sessionId: turn.pass.sessionId, metadata: held.ticket.metadata });
  return turn;
}

/** How long this very ticket can still be accepted. */
export function ticketLeftMs({ gate }: GuardedQueue, { ticket }: HeldTicket): number {
  return acceptedUntilMs(ticket) - gate.clock.nowMs();
}

const LONG_GONE = { state: "ended", reason: "expired" } as const;

export function joinVerdict({ gate: { limits }, clientAddress }: GuardedQueue): LimitVerdict | undefined {
  return clientAddress === undefined ? undefined : limits.joins.take(addressIdentity(clientAddress));
}

export function pollVerdict({ gate: { limits }, clientAddress }: GuardedQueue, ticketId: string): LimitVerdict {
  const own = limits.polls.take(ticketId);
  if (own.isOver || clientAddress === undefined) return own;
  const shared = limits.pollsOfAddress.take(addressIdentity(clientAddress));
  return shared.isOver ? shared : own;
}

/** How long a pass of an open queue lives; a client that keeps asking gets another one. */
const OPEN_PASS_MS = 60_000;

/**
 * An open queue has no slots: every request is forwarded, with or without a pass. Its pass tells a client of `enter` or
 * `heartbeat` that it is in. The pass says that it holds no slot: as soon as the queue is not open any more it counts
 * as missing, so that the cap holds at once, and its holder joins the line like a newcomer.
 */
export async function walkIn(queue: GuardedQueue): Promise<Turn> {
  const { fillRandom, clock } = queue.gate;
  const pass = await issuePass(queue, {
    sessionId: newId(fillRandom),
    slotEndMs: clock.nowMs() + OPEN_PASS_MS,
    slotless: true,
  });
  return pass === undefined ? { state: "failed" } : { state: "admitted", pass };
}

type Asked = { readonly answer: LineAnswer; readonly ticketOf: (order: number) => Promise<IssuedTicket> };

/** Each queue has its own policy for an outage; any other error is refused, never admitted by accident. */
export async function take(queue: GuardedQueue, ticketId: string, ask: () => Promise<Asked>): Promise<Turn> {
  try {
    const { answer, ticketOf } = await ask();
    return await toTurn(queue, ticketId, answer, ticketOf);
  } catch (error) {
    if (error instanceof StoreUnavailable) return { state: "unavailable" };
    log("error", "the line call failed", { queueId: queue.queueId, error });
    return { state: "failed" };
  }
}

async function toTurn(
  queue: GuardedQueue,
  ticketId: string,
  answer: LineAnswer,
  ticketOf: Asked["ticketOf"],
): Promise<Turn> {
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
      throw new Error("only a join with an invite gets a person");
    case "ended":
      return answer.reason === "revoked"
        ? askEnding(queue, { sessionId: ticketId })
        : { state: "ended", reason: answer.reason };
  }
}

/** The visitor came early, as asked: the entry time is this far ahead. */
function pause(holdMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, holdMs));
}

async function admitted(queue: GuardedQueue, sessionId: string, slotEndMs: number): Promise<Turn> {
  // Also for an answer that is repeated, when the session may have been claimed meanwhile: to claim it again changes
  // nothing.
  const pass = await issuePass(queue, { sessionId, slotEndMs, unconfirmed: true });
  return pass === undefined ? { state: "ended", reason: "expired" } : { state: "admitted", pass };
}

function newPlace(
  { gate, queueId }: GuardedQueue,
  { ticketId, order }: { readonly ticketId: string; readonly order: number },
) {
  return { queueId, ticketId, order, enqueuedAtMs: gate.clock.nowMs() };
}

function at({ gate, settings }: GuardedQueue) {
  return { nowMs: gate.clock.nowMs(), settings };
}

/**
 * Joins with the number that the ticket draws. An operator may have changed the event a moment ago, so that this
 * isolate does not know the draw that is on: then, and only then, its settings are read again and the line is asked
 * twice.
 */
export async function enterDrawn(
  queue: GuardedQueue,
  newcomer: Omit<Parameters<Line["enter"]>[0], "drawn">,
): Promise<LineAnswer> {
  const ask = async (draw: Draw | undefined) =>
    openLineOf(queue).enter({ ...newcomer, drawn: await drawnIn(queue, draw, newcomer.ticketId) });
  const answer = await ask(mayBeDrawn(queue) ? queue.draws[0] : undefined);
  return answer.state === "draw_changed" ? ask((await drawsReadAgain(queue))[0]) : answer;
}

/**
 * The place of a ticket. Until the opening a ticket of a draw carries the first number of the draw, because the token
 * is readable; the drawn number is computed from the ticket's id. Undefined when the draw is too old.
 */
export async function placeOfTicket(queue: GuardedQueue, { ticketId, order }: Ticket): Promise<number | undefined> {
  const place = placeOf(order);
  if (place === undefined || place.number !== 0) return order;
  const isIts = ({ span }: Draw) => span === place.drawSpan;
  const draw = queue.draws.find(isIts) ?? (await drawsReadAgain(queue)).find(isIts);
  const drawn = await drawnIn(queue, draw, ticketId);
  return drawn === undefined ? undefined : orderOf({ ...place, ...drawn });
}

/** Only places taken before the opening are drawn. */
function mayBeDrawn({ settings, phase }: GuardedQueue): boolean {
  return settings.order !== "fifo" && (phase === "prequeue" || phase === "unsure");
}

async function drawnIn(
  { drawings }: GuardedQueue,
  draw: Draw | undefined,
  ticketId: string,
): Promise<Drawn | undefined> {
  return draw && { drawSpan: draw.span, number: await drawings(draw.seed)(ticketId) };
}

/** Read from the store on this visitor's time: a slow store must not cost a visitor the place. */
async function drawsReadAgain({ gate, queueId, store }: GuardedQueue): Promise<readonly Draw[]> {
  gate.directory.expire();
  return (await openRegistry(store).readQueue(queueId))?.draws ?? [];
}
