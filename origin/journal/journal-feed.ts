import { setImmediate as nextTurn } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Changes } from "../engine/changes.ts";
import { JournalFault } from "./follow-journal.ts";
import { awaitJournal, faultOfNext, type JournalPosition } from "./journal.ts";
import { changesFrom } from "./journal-body.ts";

/** A committed batch as the engine that committed it holds it in memory. */
export type Committed = { readonly position: JournalPosition; readonly changes: Changes };

/**
 * Hands committed batches to followers in the same process, which need not read them from Redis and parse them again.
 * It holds only the newest: a follower that is further back reads the journal until it has caught up. A batch that
 * every follower has passed is released at once, so that rows die young and cost the garbage collector little.
 */
export type JournalFeed = {
  readonly put: (committed: Committed) => void;
  /** While another process leads, the feed is silent. */
  readonly setLive: (isLive: boolean) => void;
  readonly follow: () => FeedFollower;
};

export type FeedFollower = {
  /** The batches after a sequence number, which the follower is done with; undefined if the feed does not hold them. */
  readonly after: (sequence: number) => readonly Committed[] | undefined;
  /** Resolves with the next batch, or when the time is up. */
  readonly untilNext: (waitMs: number) => Promise<void>;
  readonly close: () => void;
};

/** Some tenths of a second of a busy venue. */
const HELD_MAX = 512;

type Follower = { doneUpTo: number; wake: (() => void) | undefined };

export function createJournalFeed(): JournalFeed {
  const followers = new Set<Follower>();
  /** Without a gap, up to `last`. */
  let held: Committed[] = [];
  /** The sequence of the last batch; undefined before there is one. */
  let last: number | undefined;
  let isLive = false;

  function release(): void {
    const first = held[0]?.position.sequence;
    if (first === undefined) return;
    const doneUpTo = Math.min(...[...followers].map((follower) => follower.doneUpTo));
    if (doneUpTo >= first) held = held.slice(doneUpTo + 1 - first);
  }

  function after(follower: Follower, sequence: number): readonly Committed[] | undefined {
    follower.doneUpTo = sequence;
    if (!isLive || last === undefined || sequence > last) return undefined;
    release();
    const first = held[0]?.position.sequence ?? last + 1;
    return sequence + 1 < first ? undefined : held.slice(sequence + 1 - first);
  }

  return {
    put(committed) {
      last = committed.position.sequence;
      if (followers.size === 0) return;
      held.push(committed);
      if (held.length > HELD_MAX * 2) held = held.slice(-HELD_MAX);
      for (const follower of followers) follower.wake?.();
    },
    setLive(live) {
      isLive = live;
      held = [];
      last = undefined;
    },
    follow() {
      const follower: Follower = { doneUpTo: 0, wake: undefined };
      followers.add(follower);
      return {
        after: (sequence) => after(follower, sequence),
        untilNext: (waitMs) =>
          new Promise((resolve) => {
            const timer = setTimeout(resolve, waitMs);
            follower.wake = () => {
              follower.wake = undefined;
              clearTimeout(timer);
              resolve();
            };
          }),
        close() {
          followers.delete(follower);
          if (followers.size === 0) held = [];
          else release();
        },
      };
    },
  };
}

const READ_ENTRIES_MAX = 64;
const WAIT_MS = 200;

/** Where a consumer gets committed batches from: the feed while it holds them, otherwise the journal in Redis. */
export type CommittedReader = {
  /** The batches after a position; empty when there are none, after a short wait. */
  readonly next: (after: JournalPosition) => Promise<readonly Committed[]>;
  readonly close: () => void;
};

/** `redis` is a connection that nothing else uses: waiting for entries blocks it. */
export function openCommittedReader(redis: Redis, feed: JournalFeed | undefined): CommittedReader {
  const follower = feed?.follow();
  return {
    async next(after) {
      const fed = follower?.after(after.sequence);
      if (fed === undefined) return readCommitted(redis, after);
      if (fed.length > 0) return fed;
      await follower?.untilNext(WAIT_MS);
      // The engine that has committed runs first: clients wait for its next batch.
      await nextTurn();
      return [];
    },
    close: () => follower?.close(),
  };
}

async function readCommitted(redis: Redis, after: JournalPosition): Promise<readonly Committed[]> {
  const entries = await awaitJournal(redis, { after: after.sequence, count: READ_ENTRIES_MAX, waitMs: WAIT_MS });
  let before = after;
  return entries.map((entry) => {
    const fault = faultOfNext(before, entry);
    if (fault !== undefined) throw new JournalFault(fault);
    before = entry;
    return { position: entry, changes: changesFrom(entry.body) };
  });
}
