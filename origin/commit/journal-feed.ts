import type { Changes } from "../engine/changes.ts";
import type { JournalPosition } from "./journal.ts";

/** What was committed, as the engine that did it has it in memory. */
export type Committed = { readonly position: JournalPosition; readonly changes: Changes };

/**
 * Hands committed batches to the follower in the same process, which need not read them from Redis and parse them again. It holds the last
 * ones only: a follower that is further back reads the journal until it has caught up. What was asked past is let go at once, so that rows die
 * young and the garbage collector has nothing to carry about.
 */
export type JournalFeed = {
  readonly put: (committed: Committed) => void;
  /** What comes behind a sequence number, which the follower is done with; undefined if the feed cannot tell. */
  readonly after: (sequence: number) => readonly Committed[] | undefined;
  /** Resolves with the next batch, or when the time is up. */
  readonly untilNext: (waitMs: number) => Promise<void>;
  /** While another process leads, the feed is silent. */
  readonly setLive: (isLive: boolean) => void;
};

/** Some tenths of a second of a busy venue. */
const HELD_MAX = 512;

export function createJournalFeed(): JournalFeed {
  let held: Committed[] = [];
  /** The sequence of the last batch; undefined before there is one. */
  let last: number | undefined;
  let isLive = false;
  let wake: (() => void) | undefined;

  return {
    put(committed) {
      held.push(committed);
      last = committed.position.sequence;
      if (held.length > HELD_MAX * 2) held = held.slice(-HELD_MAX);
      wake?.();
    },
    after(sequence) {
      if (!isLive || last === undefined || sequence > last) return undefined;
      const first = held[0]?.position.sequence ?? last + 1;
      if (sequence + 1 < first) return undefined;
      held = held.slice(sequence + 1 - first);
      return held.slice();
    },
    untilNext: (waitMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        wake = () => {
          wake = undefined;
          clearTimeout(timer);
          resolve();
        };
      }),
    setLive(live) {
      isLive = live;
      held = [];
      last = undefined;
    },
  };
}
