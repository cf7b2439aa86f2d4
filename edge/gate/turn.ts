import { newId } from "../../shared/ids.ts";
import { log } from "../log.ts";
import type { EndReason, LineAnswer, WaitingAnswer } from "../queue/answer.ts";
import { type IssuedPass, type IssuedTicket, issuePass, issueTicket, keepTicket } from "./issue.ts";
import { addressIdentity, type LimitVerdict } from "./limits.ts";
import { backgroundLineOf, type GuardedQueue, openLineOf } from "./open-gate.ts";
import { StoreUnavailable } from "./outage.ts";
import type { HeldTicket } from "./presented.ts";

/** How a visitor stands after one question to the line: what the rules of the gate and every answer to a visitor are made from. */
export type Turn =
  | { readonly state: "waiting"; readonly answer: WaitingAnswer; readonly issued: IssuedTicket }
  | { readonly state: "admitted"; readonly pass: IssuedPass }
  | { readonly state: "ended"; readonly reason: EndReason }
  | { readonly state: "rate_limited"; readonly verdict: LimitVerdict }
  | { readonly state: "closed" | "full" | "address_limit" | "missing" | "unavailable" | "failed" };

/** A newcomer takes a place, or walks in. One store call, or none for an address that has asked too often. */
export async function enter(queue: GuardedQueue, address: string | undefined): Promise<Turn> {
  const { gate, settings } = queue;
  const verdict = address === undefined ? undefined : gate.limits.joins.take(addressIdentity(address));
  if (verdict?.isOver) return { state: "rate_limited", verdict };
  const ticketId = newId(gate.fillRandom);
  const { ticketsPerIp } = settings;
  // Without an address nobody can be counted, and to lump all those together would lock them out.
  const isCounted = ticketsPerIp > 0 && address !== undefined;
  return take(queue, ticketId, async () => {
    const addressHash = isCounted ? await gate.hashAddress(addressIdentity(address)) : NOT_COUNTED;
    const visitor = { ticketId, lane: 0, addressHash, ticketsPerIp: isCounted ? ticketsPerIp : 0 };
    const answer = await openLineOf(queue).enter(visitor);
    return { answer, ticketOf: (order) => issueTicket(gate.tokens, newPlace(queue, { ticketId, order }), at(queue)) };
  });
}

const NOT_COUNTED = "-";

/** A visitor polls, claims, or comes back. One store call, or none for a poll that comes too early or too often. */
export async function beat(queue: GuardedQueue, held: HeldTicket, address: string | undefined): Promise<Turn> {
  const { gate } = queue;
  const { ticketId, order } = held.ticket;
  const verdict = pollVerdict(queue, ticketId, address);
  if (verdict.isOver) return { state: "rate_limited", verdict };
  const keep = (place: number) => keepTicket(gate.tokens, { ...held, order: place }, at(queue));
  const early = queue.answers.early(ticketId);
  if (early !== undefined) return { state: "waiting", answer: early, issued: await keep(early.order) };
  return take(queue, ticketId, async () => ({ answer: await openLineOf(queue).beat({ ticketId, order }), ticketOf: keep }));
}

function pollVerdict({ gate: { limits } }: GuardedQueue, ticketId: string, address: string | undefined): LimitVerdict {
  const own = limits.polls.take(ticketId);
  if (own.isOver || address === undefined) return own;
  const shared = limits.pollsOfAddress.take(addressIdentity(address));
  return shared.isOver ? shared : own;
}

type Asked = { readonly answer: LineAnswer; readonly ticketOf: (order: number) => Promise<IssuedTicket> };

/** An outage has an answer of its own for each queue; any other error is refused, never admitted by accident. */
async function take(queue: GuardedQueue, ticketId: string, ask: () => Promise<Asked>): Promise<Turn> {
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
      return admitted(queue, ticketId, answer.expiresAtMs);
    case "refused":
      return { state: answer.reason };
    case "none":
      return { state: "missing" };
    case "ended":
      return answer;
  }
}

async function admitted(queue: GuardedQueue, sessionId: string, slotEndMs: number): Promise<Turn> {
  const { gate, queueId } = queue;
  const pass = await issuePass(gate.tokens, { queueId, sessionId, slotEndMs }, { nowMs: gate.clock.nowMs(), fillRandom: gate.fillRandom });
  return pass === undefined ? { state: "ended", reason: "expired" } : { state: "admitted", pass };
}

function newPlace({ gate, queueId }: GuardedQueue, { ticketId, order }: { readonly ticketId: string; readonly order: number }) {
  return { queueId, ticketId, order, lane: 0 as const, enqueuedAtMs: gate.clock.nowMs() };
}

function at({ gate, settings }: GuardedQueue) {
  return { nowMs: gate.clock.nowMs(), settings };
}
