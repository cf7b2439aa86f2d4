import { setImmediate as nextTurn } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { assert } from "../../../shared/assert.ts";
import { followJournal, JournalFault, type Run } from "../../journal/follow-journal.ts";
import type { JournalPosition } from "../../journal/journal.ts";
import type { Committed } from "../../journal/journal-feed.ts";
import { readLife } from "../../journal/life.ts";
import { type LiveMemory, loadMemory } from "./live-memory.ts";
import type { VisibleJournal } from "./visible-journal.ts";

/**
 * Follows the journal in every process that serves sockets, whatever its other roles. While Redis is unavailable, the
 * memory stays as it is and continues afterwards. It is loaded again when the journal no longer holds the next entry,
 * or is of another life (a restore).
 */
export type LiveFeed = {
  /** Undefined while nothing may be shown: it is being loaded. */
  readonly memory: () => LiveMemory | undefined;
  readonly stop: () => Promise<void>;
};

type FeedParts = {
  readonly redis: Redis;
  readonly reader: Redis;
  readonly journal: VisibleJournal;
  /** After the memory has absorbed the entry; only once the memory is exact. */
  readonly onEntry: (committed: Committed, memory: LiveMemory) => void;
  readonly nowMs: () => number;
  readonly log: Logger;
};

/** Timers and sockets run in between. */
const ENTRIES_PER_TURN = 8;
/** A restore under a connection that stays open is noticed within this time. */
const LIFE_LOOK_EVERY_MS = 1_000;

export function followFeed({ redis, reader, journal, onEntry, nowMs, log }: FeedParts): LiveFeed {
  let memory: LiveMemory | undefined;
  let lookedAtMs = performance.now();

  async function checkLife(): Promise<void> {
    if (performance.now() - lookedAtMs < LIFE_LOOK_EVERY_MS) return;
    lookedAtMs = performance.now();
    if (memory !== undefined && (await readLife(redis)) !== memory.epoch) memory = undefined;
  }

  async function next(after: JournalPosition): Promise<readonly Committed[]> {
    try {
      const entries = await journal.next(after);
      await checkLife();
      return memory === undefined ? [] : entries;
    } catch (error) {
      if (error instanceof JournalFault) memory = undefined;
      throw error;
    }
  }

  async function open(): Promise<Run<Committed, JournalPosition>> {
    const epoch = await readLife(redis);
    if (memory?.epoch !== epoch) memory = undefined;
    memory ??= await loadMemory(redis, epoch, nowMs());
    const current = memory;
    return {
      position: current.position,
      next,
      async take(entries) {
        await nextTurn();
        const taken = entries.slice(0, ENTRIES_PER_TURN);
        for (const committed of taken) {
          current.absorb(committed);
          if (isExact(current)) onEntry(committed, current);
        }
        const last = taken.at(-1);
        assert(last !== undefined, "the loop hands over at least one entry");
        return { count: taken.length, position: last.position };
      },
      isOver: () => memory !== current,
    };
  }

  const following = followJournal({ name: "live hub", open, connections: [redis, reader], log });
  return {
    memory: () => (memory !== undefined && isExact(memory) ? memory : undefined),
    stop: () => following.stop(),
  };
}

const isExact = ({ position, exactFrom }: LiveMemory): boolean => position.sequence >= exactFrom;
