import type { EndedReason } from "./texts/room-texts.ts";

/** How a visitor stands, as a page shows it. */
export type RoomState =
  | { readonly name: "waiting" | "paused"; readonly place: Place }
  /**
   * Before the opening. With `placesOpenAtMs` the visitor has no place yet, and `total` is not known. `isDrawn`: places
   * are given by lot when it opens.
   */
  | {
      readonly name: "prequeue";
      readonly opensAtMs: number;
      readonly placesOpenAtMs?: number | undefined;
      readonly total: number | undefined;
      readonly isDrawn: boolean;
    }
  /** `otherSite`: a form of another site came without the visitor's cookies. */
  | { readonly name: "checking" | "yourTurn" | "full" | "maintenance" | "storeDown" | "otherSite" | "notFound" }
  /**
   * `wasInside`: gave up a session, not a place in line. `banLeftMs`: how long until the visitor may join again, where
   * that is not now.
   */
  | { readonly name: "ended"; readonly reason: EndedReason; readonly wasInside?: boolean; readonly banLeftMs?: number }
  /** `by`: too often by this visitor, or too many places for the network. */
  | { readonly name: "rateLimited"; readonly by: "visitor" | "address" };

/** Those of a queue. */
export const ROOM_STATE_NAMES = [
  "checking",
  "waiting",
  "yourTurn",
  "prequeue",
  "paused",
  "full",
  "maintenance",
  "ended",
  "storeDown",
  "rateLimited",
  "otherSite",
] as const satisfies readonly RoomState["name"][];

export type RoomStateName = (typeof ROOM_STATE_NAMES)[number];

export type Place = {
  readonly position: number;
  readonly total: number;
  /** The place on arrival: where the progress bar begins. */
  readonly first: number;
  readonly estimate: { readonly low: number; readonly high: number };
  /** The room is full and no session ends. */
  readonly stall?: { readonly latestAtMs: number | null } | undefined;
};

/** The line's answer to a waiting visitor, as far as a page shows it. */
export type WaitingFacts = {
  /** Null while a draw keeps it secret. */
  readonly position: number | null;
  readonly total: number;
  readonly estimatedWaitSeconds: { readonly low: number; readonly high: number };
  readonly isStalled?: boolean;
  readonly latestEntryAt?: number | null;
  readonly enqueuedAt: number;
  readonly mode: string;
  readonly phase?: "prequeue" | "line";
  readonly opensAt?: number | null;
  readonly order?: string;
};

/** The place that was shown before; `joinedAt` tells one wait from the next. */
export type PlaceMemory = { readonly joinedAt: number; readonly first: number; readonly best: number };

/** A place on the page never gets worse: when an invite moves another visitor ahead, it stays the same for a moment. */
export function rememberPlace(before: PlaceMemory | undefined, facts: WaitingFacts): PlaceMemory | undefined {
  const { position, enqueuedAt } = facts;
  if (position === null || facts.phase === "prequeue") return before?.joinedAt === enqueuedAt ? before : undefined;
  if (before?.joinedAt !== enqueuedAt) return { joinedAt: enqueuedAt, first: position, best: position };
  return { joinedAt: enqueuedAt, first: before.first, best: Math.min(before.best, position) };
}

export function waitingState(facts: WaitingFacts, memory: PlaceMemory | undefined): RoomState {
  const { phase, opensAt, mode, total, estimatedWaitSeconds, order = "fifo" } = facts;
  if (mode === "maintenance") return { name: "maintenance" };
  if (phase === "prequeue") return { name: "prequeue", opensAtMs: opensAt ?? 0, total, isDrawn: order !== "fifo" };
  const { first, best } = memory ?? { first: total, best: total };
  const { isStalled = false, latestEntryAt = null } = facts;
  const stall = isStalled ? { latestAtMs: latestEntryAt } : undefined;
  const place = { position: best, total, first, estimate: estimatedWaitSeconds, stall };
  return { name: mode === "paused" ? "paused" : "waiting", place };
}

const MEMORY = /^(\d{1,15})\.(\d{1,9})\.(\d{1,9})$/;

/** As a cookie value. It is the visitor's own and decides only what the page shows. */
export function writeMemory({ joinedAt, first, best }: PlaceMemory): string {
  return `${joinedAt}.${first}.${best}`;
}

export function readMemory(text: string | undefined): PlaceMemory | undefined {
  const [, joinedAt, first, best] = MEMORY.exec(text ?? "") ?? [];
  if (joinedAt === undefined || Number(best) < 1 || Number(first) < Number(best)) return undefined;
  return { joinedAt: Number(joinedAt), first: Number(first), best: Number(best) };
}
