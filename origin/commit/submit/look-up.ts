import type { Redis } from "ioredis";
import {
  commandIdOf,
  compareStreamIds,
  type LocalPlace,
  parseCommandId,
  type StreamPlace,
} from "../../journal/command-text.ts";
import { firstEntry, type JournalEntry, readJournal } from "../../journal/journal.ts";
import { resultIn } from "../../journal/journal-body.ts";
import { COMMANDS_KEY, FENCE_KEY, OFFSET_KEY } from "../../journal/keys.ts";
import type { KnownOutcome } from "./commands.ts";

/**
 * Finds the outcome of a command in the journal; nothing is written for that purpose. The id of a command that was
 * handed over in memory names its journal entry. For a command of the stream: entries are numbered without gaps and
 * each holds the last command of the stream up to it, so a binary search finds the entry.
 */
export function createLookUp(redis: Redis): (commandId: string) => Promise<KnownOutcome> {
  /** Commands of one append are looked up one after the other, and most are in one entry. */
  let lastFound: { readonly entry: JournalEntry; readonly after: string } | undefined;

  async function entryOf(commandId: string): Promise<JournalEntry | undefined> {
    const isInLast =
      lastFound !== undefined &&
      compareStreamIds(lastFound.after, commandId) < 0 &&
      compareStreamIds(commandId, lastFound.entry.command) <= 0;
    if (!isInLast) lastFound = await search(redis, commandId);
    return lastFound?.entry;
  }

  /** Another leader's entry may have its number: it is there only under its own node and number. */
  async function findLocal(place: LocalPlace): Promise<KnownOutcome> {
    // Read first: once another epoch has begun, a commit that is not in the journal never will be.
    const epoch = Number((await redis.hget(FENCE_KEY, "epoch")) ?? 0);
    const [entry] = await readJournal(redis, place.sequence - 1, 1);
    if (entry === undefined) return epoch === place.epoch ? { kind: "pending" } : FORGOTTEN;
    const result = entry.sequence === place.sequence ? resultIn(entry.body, place) : undefined;
    return result === undefined ? FORGOTTEN : { kind: "committed", sequence: entry.sequence, ...result };
  }

  async function findOfStream(place: StreamPlace): Promise<KnownOutcome> {
    const plainId = commandIdOf(place);
    const committed = (await redis.hget(OFFSET_KEY, "command")) ?? "";
    if (compareStreamIds(plainId, committed) > 0) {
      const [entry] = await redis.xrange(COMMANDS_KEY, place.entryId, place.entryId);
      return place.index < countOf(entry?.[1]) ? { kind: "pending" } : FORGOTTEN;
    }
    const entry = await entryOf(plainId);
    const result = entry === undefined ? undefined : resultIn(entry.body, place);
    if (entry === undefined || result === undefined) return FORGOTTEN;
    return { kind: "committed", sequence: entry.sequence, ...result };
  }

  return async (commandId) => {
    const place = parseCommandId(commandId);
    if (place === undefined) return FORGOTTEN;
    return "entryId" in place ? findOfStream(place) : findLocal(place);
  };
}

const FORGOTTEN = { kind: "forgotten" } as const;

/** The number of commands in an append. */
function countOf(fields: readonly string[] | undefined): number {
  return fields === undefined ? 0 : (JSON.parse(fields[5] ?? "[]") as readonly unknown[]).length;
}

/** The first entry whose last command is this one or a later one, and the last command before that entry. */
async function search(redis: Redis, commandId: string): Promise<{ entry: JournalEntry; after: string } | undefined> {
  const first = await firstEntry(redis);
  if (first === undefined) return undefined;
  if (compareStreamIds(commandId, first.command) <= 0) return { entry: first, after: "" };
  let below: JournalEntry = first;
  let high = Number((await redis.hget(OFFSET_KEY, "sequence")) ?? 0);
  let found: JournalEntry | undefined;
  // The entry is after `below` and not after `high`: the distance halves each time.
  while (below.sequence + 1 <= high) {
    const middle = Math.floor((below.sequence + 1 + high) / 2);
    const [entry] = await readJournal(redis, middle - 1, 1);
    if (entry === undefined) return undefined;
    if (compareStreamIds(entry.command, commandId) < 0) below = entry;
    else {
      found = entry;
      high = middle - 1;
    }
  }
  return found === undefined ? undefined : { entry: found, after: below.command };
}
