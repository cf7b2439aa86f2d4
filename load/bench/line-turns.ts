import type { Redis } from "ioredis";
import { queueKeys } from "../../edge/queue/keys.ts";
import { assert } from "../../shared/assert.ts";
import type { CrowdVisitor } from "./line-crowd.ts";

type TurnsOptions = {
  readonly redis: Redis;
  readonly queueId: string;
  readonly claimMs: number;
  readonly maxActive: number;
};

/** What stands in the store right behind a call: who has a reservation, and how many slots are held. */
type Look = { readonly ready: readonly string[]; readonly held: number };

export type Turns = {
  readonly joined: (visitor: CrowdVisitor) => void;
  readonly polled: (visitor: CrowdVisitor, nowMs: number) => void;
  readonly told: (visitor: CrowdVisitor, poll: { readonly nowMs: number; readonly pollAfterMs: number }) => void;
  readonly look: (nowMs: number) => Promise<Look>;
  /** `walkedIn` is the caller, if the call let it in. */
  readonly judge: (nowMs: number, look: Look, walkedIn?: CrowdVisitor) => void;
  readonly faults: () => { readonly overAdmissions: number; readonly inversions: number; readonly ghosts: number };
};

/** How late a poll may be, on top of a quarter of its interval. */
const LATE_MS = 1_500;

type Standing = {
  readonly place: number;
  /** `released`: the reservation is gone, claimed or lapsed; the answer to the visitor tells which. */
  state: "waiting" | "reserved" | "released" | "admitted";
  dueMs: number;
  reservedAtMs: number;
};

/** Watches whose turn it is, from outside and cheaply enough for a line of ten thousand. */
export function watchTurns({ redis, queueId, claimMs, maxActive }: TurnsOptions): Turns {
  const keys = queueKeys(queueId);
  const line: Standing[] = [];
  const byName = new Map<string, Standing>();
  let reserved = new Map<string, Standing>();
  /** Everybody before this place is in, reserved or was passed over. */
  let frontier = 0;
  const faults = { overAdmissions: 0, inversions: 0, ghosts: 0 };

  function judge(nowMs: number, { ready, held }: Look, walkedIn?: CrowdVisitor): void {
    faults.overAdmissions = Math.max(faults.overAdmissions, held - maxActive);
    const now = new Map(ready.map((name) => [name, standingOf(name)]));
    const caller = walkedIn && standingOf(walkedIn.name);
    const promoted = [...now.values(), ...(caller === undefined ? [] : [caller])].filter(({ state }) => state !== "reserved");
    for (const [name, standing] of reserved) settle(standing, { isStill: now.has(name), nowMs });
    for (const standing of promoted) Object.assign(standing, { state: "reserved", reservedAtMs: nowMs });
    for (const standing of promoted) faults.inversions += presentBefore(standing, nowMs);
    if (caller !== undefined) caller.state = "admitted";
    reserved = now;
  }

  function settle(standing: Standing, { isStill, nowMs }: { readonly isStill: boolean; readonly nowMs: number }): void {
    if (!isStill) standing.state = "released";
    else if (nowMs - standing.reservedAtMs > claimMs) faults.ghosts++;
  }

  /** Those who wait with an earlier place and are there. */
  function presentBefore({ place }: Standing, nowMs: number): number {
    while (frontier < line.length && (line[frontier]?.state === "admitted" || isGone(line[frontier], nowMs))) frontier++;
    return line.slice(frontier, place).filter((earlier) => earlier.state === "waiting" && !isGone(earlier, nowMs)).length;
  }

  function standingOf(name: string): Standing {
    const standing = byName.get(name);
    assert(standing !== undefined, "only those who joined have a turn");
    return standing;
  }

  return {
    judge,
    joined: ({ name }) => {
      const standing: Standing = { place: line.length, state: "waiting", dueMs: 0, reservedAtMs: 0 };
      line.push(standing);
      byName.set(name, standing);
    },
    polled: ({ name }, nowMs) => {
      const standing = standingOf(name);
      standing.dueMs = Number.POSITIVE_INFINITY;
      // A reservation that its owner asks about begins anew while the pace holds it back.
      standing.reservedAtMs = nowMs;
      frontier = Math.min(frontier, standing.place);
    },
    told: ({ name }, { nowMs, pollAfterMs }) => {
      const standing = standingOf(name);
      standing.dueMs = nowMs + pollAfterMs + Math.floor(pollAfterMs / 4) + LATE_MS;
      if (standing.state === "released") standing.state = "waiting";
    },
    look: async (nowMs) => {
      const [ready, held] = await Promise.all([redis.zrange(keys.ready, "0", "-1"), redis.zcount(keys.active, `(${nowMs}`, "+inf")]);
      return { ready, held };
    },
    faults: () => faults,
  };
}

function isGone(standing: Standing | undefined, nowMs: number): boolean {
  return standing !== undefined && standing.state === "waiting" && standing.dueMs <= nowMs;
}
