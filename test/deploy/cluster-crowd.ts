import { setTimeout as sleep } from "node:timers/promises";
import { factsOf } from "../../load/crowd/ticket-facts.ts";
import { CLIENT_LATE_MS } from "../../load/verdict/order-of-entry.ts";
import { countOvertaken, type Overtaken } from "../../load/verdict/overtaken.ts";

/** Visitors of one line who keep polling through errors, and a record of their answers on the client side. */
export type ClusterCrowd = {
  /** Admissions since the beginning. */
  readonly admitted: () => number;
  readonly untilAdmitted: (count: number) => Promise<void>;
  /** All visitors inside leave; later ones stay for a moment only. */
  readonly leaveAll: () => Promise<void>;
  readonly untilAllWereIn: () => Promise<void>;
  /** The most visitors inside at once, from their admission until they ask to leave. */
  readonly insideMost: () => number;
  /** The most admissions beyond burst and rate in any window. */
  readonly beyondRate: (limits: { readonly rate: number; readonly burst: number }) => number;
  readonly sessionsOfOneTicketMost: () => number;
  /** Visitors whose place changed. */
  readonly movedPlaces: () => number;
  /** A visitor whose last poll was late, because earlier ones failed, may be passed. */
  readonly overtaken: () => Overtaken;
  /** The longest time between two admissions after this moment. */
  readonly longestPauseMs: (fromMs: number) => number;
  readonly stop: () => Promise<void>;
};

type CrowdOptions = { readonly urls: readonly [string, ...string[]]; readonly queueId: string; readonly count: number };

type Told = {
  readonly state?: string;
  readonly ticket?: string;
  readonly pass?: string;
  readonly sessionId?: string;
  readonly pollAfterMs?: number;
};

const TRY_AGAIN_MS = 150;
const STAY_MS = 300;
const WITHIN_MS = 45_000;
const ASK_MS_MAX = 3_000;

export function playCrowd({ urls, queueId, count }: CrowdOptions): ClusterCrowd {
  const over = new AbortController();
  const admittedAtMs: number[] = [];
  const sessions = new Map<number, Set<string>>();
  /** By visitor, every place that the tickets carried. */
  const places = new Map<number, Set<number>>();
  /** By visitor with a ticket: the entry, and whether the poll before it was late. */
  const entries = new Map<number, { readonly enteredMs: number; readonly wasAway: boolean }>();
  const inside = new Set<number>();
  let insideMost = 0;
  let staysMs = Number.POSITIVE_INFINITY;
  const goNow = Promise.withResolvers<void>();

  async function ask(person: number, verb: string, token: string | undefined): Promise<Told | undefined> {
    const url = `${urls[person % urls.length]}/_sluice/queues/${queueId}/${verb}`;
    const headers = {
      accept: "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    try {
      const response = await fetch(url, { method: "POST", headers, signal: AbortSignal.timeout(ASK_MS_MAX) });
      const text = await response.text();
      return response.ok ? ((text === "" ? {} : JSON.parse(text)) as Told) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Polls until the visit ends, with the newest ticket. */
  async function live(person: number): Promise<void> {
    let ticket: string | undefined;
    let toldMs = Number.POSITIVE_INFINITY;
    while (!over.signal.aborted) {
      const sentMs = performance.now();
      const told = await ask(person, ticket === undefined ? "enter" : "heartbeat", ticket);
      if (told?.state === "admitted") {
        entries.set(person, { enteredMs: performance.now(), wasAway: sentMs - toldMs > CLIENT_LATE_MS });
        return stay(person, told);
      }
      toldMs = dueMs(told) ?? toldMs;
      if (told?.state === "ended") return;
      ticket = told?.ticket ?? ticket;
      notePlace(person, told?.ticket);
      await sleep(Math.min(told?.pollAfterMs ?? TRY_AGAIN_MS, 500));
    }
  }

  function dueMs(told: Told | undefined): number | undefined {
    return told?.pollAfterMs === undefined ? undefined : performance.now() + told.pollAfterMs;
  }

  function notePlace(person: number, ticket: string | undefined): void {
    if (ticket === undefined) return;
    const { order } = factsOf(ticket);
    const orders = places.get(person) ?? new Set<number>();
    if (order !== undefined) orders.add(order);
    places.set(person, orders);
  }

  async function stay(person: number, { pass, sessionId = "" }: Told): Promise<void> {
    admittedAtMs.push(performance.now());
    sessions.set(person, (sessions.get(person) ?? new Set()).add(sessionId));
    inside.add(person);
    insideMost = Math.max(insideMost, inside.size);
    await Promise.race([staysMs === Number.POSITIVE_INFINITY ? goNow.promise : sleep(staysMs), aborted(over.signal)]);
    // The slot may be freed by the request.
    inside.delete(person);
    while (!over.signal.aborted && (await ask(person, "leave", pass)) === undefined) await sleep(TRY_AGAIN_MS);
  }

  const lives = Array.from({ length: count }, (_, person) => live(person));

  async function until(isSo: () => boolean): Promise<void> {
    const deadline = performance.now() + WITHIN_MS;
    while (!isSo()) {
      if (performance.now() > deadline)
        throw new Error(`${admittedAtMs.length} of ${count} visitors were admitted within ${WITHIN_MS / 1_000} s`);
      await sleep(20);
    }
  }

  return {
    admitted: () => admittedAtMs.length,
    untilAdmitted: (wanted) => until(() => admittedAtMs.length >= wanted),
    async leaveAll() {
      staysMs = STAY_MS;
      goNow.resolve();
      await sleep(0);
    },
    untilAllWereIn: () => until(() => sessions.size === count),
    insideMost: () => insideMost,
    beyondRate: ({ rate, burst }) => beyondRate(admittedAtMs, rate, burst),
    sessionsOfOneTicketMost: () => Math.max(...[...sessions.values()].map(({ size }) => size)),
    movedPlaces: () => [...places.values()].filter(({ size }) => size > 1).length,
    overtaken: () =>
      countOvertaken(
        [...entries].flatMap(([person, entry]) =>
          [...(places.get(person) ?? [])].map((place) => ({ place, lane: 0, ...entry })).slice(0, 1),
        ),
      ),
    longestPauseMs(fromMs) {
      const after = admittedAtMs.filter((atMs) => atMs >= fromMs);
      return Math.max(0, ...after.slice(1).map((atMs, index) => atMs - (after[index] ?? atMs)));
    },
    async stop() {
      over.abort();
      await Promise.all(lives);
    },
  };
}

/** Simultaneous answers may arrive a little apart. */
const ARRIVAL_MS = 500;

function beyondRate(timesMs: readonly number[], rate: number, burst: number): number {
  let most = 0;
  for (const [from, start] of timesMs.entries()) {
    for (const [to, end] of timesMs.entries()) {
      if (to >= from)
        most = Math.max(most, to - from + 1 - Math.floor(burst + (rate * (end - start + ARRIVAL_MS)) / 1_000));
    }
  }
  return most;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
