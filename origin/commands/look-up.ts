import type { Redis } from "ioredis";
import { firstEntry, type JournalEntry, readJournal } from "../commit/journal.ts";
import { resultIn } from "../commit/journal-body.ts";
import { OFFSET_KEY } from "../commit/keys.ts";
import { commandIdOf, compareCommandIds, parseCommandId } from "./command-id.ts";
import type { KnownOutcome } from "./commands.ts";
import { COMMANDS_KEY } from "./keys.ts";

/**
 * Finds out what became of a command without anything having been written for that purpose: entries of the journal are numbered without
 * gaps and each knows the last command that it speaks of, so the one to ask is found by halving.
 */
export function createLookUp(redis: Redis): (commandId: string) => Promise<KnownOutcome> {
  /** Commands of one append are asked for one after the other, and mostly stand in one entry. */
  let lastFound: { readonly entry: JournalEntry; readonly after: string } | undefined;

  async function entryOf(commandId: string): Promise<JournalEntry | undefined> {
    const isInLast =
      lastFound !== undefined &&
      compareCommandIds(lastFound.after, commandId) < 0 &&
      compareCommandIds(commandId, lastFound.entry.command) <= 0;
    if (!isInLast) lastFound = await search(redis, commandId);
    return lastFound?.entry;
  }

  return async (commandId) => {
    const place = parseCommandId(commandId);
    if (place === undefined) return FORGOTTEN;
    const plainId = commandIdOf(place);
    const committed = (await redis.hget(OFFSET_KEY, "command")) ?? "";
    if (compareCommandIds(plainId, committed) > 0) {
      const [entry] = await redis.xrange(COMMANDS_KEY, place.entryId, place.entryId);
      return place.index < countOf(entry?.[1]) ? { kind: "pending" } : FORGOTTEN;
    }
    const entry = await entryOf(plainId);
    const result = entry === undefined ? undefined : resultIn(entry.body, place);
    if (entry === undefined || result === undefined) return FORGOTTEN;
    return { kind: "committed", sequence: entry.sequence, ...result };
  };
}

const FORGOTTEN = { kind: "forgotten" } as const;

/** How many commands an append has. */
function countOf(fields: readonly string[] | undefined): number {
  return fields === undefined ? 0 : (JSON.parse(fields[5] ?? "[]") as readonly unknown[]).length;
}

/** The first entry whose last command is this one or a later one, and the last command before that entry. */
async function search(redis: Redis, commandId: string): Promise<{ entry: JournalEntry; after: string } | undefined> {
  const first = await firstEntry(redis);
  if (first === undefined) return undefined;
  if (compareCommandIds(commandId, first.command) <= 0) return { entry: first, after: "" };
  let below: JournalEntry = first;
  let high = Number((await redis.hget(OFFSET_KEY, "sequence")) ?? 0);
  let found: JournalEntry | undefined;
  // `below` is before what we look for, `high` is it or behind it: the distance halves each time.
  while (below.sequence + 1 <= high) {
    const middle = Math.floor((below.sequence + 1 + high) / 2);
    const [entry] = await readJournal(redis, middle - 1, 1);
    if (entry === undefined) return undefined;
    if (compareCommandIds(entry.command, commandId) < 0) below = entry;
    else {
      found = entry;
      high = middle - 1;
    }
  }
  return found === undefined ? undefined : { entry: found, after: below.command };
}
