import type { Redis } from "ioredis";
import { type JournalEntry, type JournalPosition, readJournal } from "../../journal/journal.ts";
import { type Committed, openCommittedReader } from "../../journal/journal-feed.ts";

/**
 * The one place that decides which entries may be sent to clients: those that Redis has made durable, because it
 * answers a reader after the disk. Everything that is sent was committed (L4).
 */
export type VisibleJournal = {
  /** The entries after a position; empty when there are none, after a short wait. */
  readonly next: (after: JournalPosition) => Promise<readonly Committed[]>;
  /** The entries after a sequence number, as far as the journal still holds them. */
  readonly read: (after: number, count: number) => Promise<readonly JournalEntry[]>;
};

type JournalParts = {
  readonly redis: Redis;
  /** A connection that nothing else uses: waiting for entries blocks it. */
  readonly reader: Redis;
};

export function openVisibleJournal({ redis, reader }: JournalParts): VisibleJournal {
  const committed = openCommittedReader(reader, undefined);
  return { next: committed.next, read: (after, count) => readJournal(redis, after, count) };
}
