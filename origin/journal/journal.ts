import { hash } from "node:crypto";
import type { Redis } from "ioredis";
import { assert } from "../../shared/assert.ts";
import { JOURNAL_KEY } from "./keys.ts";

/**
 * The journal is the truth: one entry per committed batch. Its id in the stream is its sequence number, without gaps;
 * each entry holds the hash of the one before, so that a changed, removed or inserted entry makes every later hash
 * wrong.
 */
export type JournalEntry = {
  readonly sequence: number;
  readonly previousHash: string;
  readonly hash: string;
  /** The last command of the stream up to this entry. */
  readonly command: string;
  readonly body: string;
};

/** A position in the journal: of its end, or of a consumer. */
export type JournalPosition = Pick<JournalEntry, "sequence" | "hash" | "command">;

/** The position before the first entry. */
export const START: JournalPosition = { sequence: 0, hash: "", command: "" };

export function entryHash({ previousHash, sequence, command, body }: Omit<JournalEntry, "hash">): string {
  return hash("sha256", `${previousHash}\n${sequence}\n${command}\n${body}`, "base64url");
}

/** The entries after a sequence number, in order. */
export async function readJournal(redis: Redis, after: number, count: number): Promise<readonly JournalEntry[]> {
  return entriesFrom(await redis.xrange(JOURNAL_KEY, `${after + 1}-0`, "+", "COUNT", count));
}

/** Like `readJournal`, and waits for the first one if there is none yet. */
export async function awaitJournal(redis: Redis, options: AwaitOptions): Promise<readonly JournalEntry[]> {
  const { after, count, waitMs } = options;
  const reply = await redis.xread("COUNT", count, "BLOCK", waitMs, "STREAMS", JOURNAL_KEY, `${after}-0`);
  return entriesFrom(reply?.[0]?.[1] ?? []);
}

type AwaitOptions = { readonly after: number; readonly count: number; readonly waitMs: number };

/** The entries before a sequence number, the last one first. */
export async function readJournalBackwards(
  redis: Redis,
  before: number,
  count: number,
): Promise<readonly JournalEntry[]> {
  return before <= 1 ? [] : entriesFrom(await redis.xrevrange(JOURNAL_KEY, `${before - 1}-0`, "-", "COUNT", count));
}

export async function firstEntry(redis: Redis): Promise<JournalEntry | undefined> {
  return entriesFrom(await redis.xrange(JOURNAL_KEY, "-", "+", "COUNT", 1))[0];
}

export async function lastEntry(redis: Redis): Promise<JournalEntry | undefined> {
  return entriesFrom(await redis.xrevrange(JOURNAL_KEY, "+", "-", "COUNT", 1))[0];
}

function entriesFrom(raw: readonly (readonly [string, readonly string[]])[]): readonly JournalEntry[] {
  return raw.map(([id, fields]) => {
    const [previousName, previousHash = "", hashName, hash = "", commandName, command = "", bodyName, body = ""] =
      fields;
    assert(
      previousName === "p" && hashName === "h" && commandName === "c" && bodyName === "b",
      "a journal entry has its four fields",
    );
    return { sequence: Number(id.slice(0, id.indexOf("-"))), previousHash, hash, command, body };
  });
}

/** Why an entry is not the next one, in a sentence; undefined if it is. */
export function faultOfNext(before: JournalPosition, entry: JournalEntry): string | undefined {
  if (entry.sequence !== before.sequence + 1)
    return `journal entry ${before.sequence + 1} is missing: ${entry.sequence} comes next`;
  if (entry.previousHash !== before.hash)
    return `journal entry ${entry.sequence} does not follow from entry ${before.sequence}`;
  if (entryHash(entry) !== entry.hash)
    return `journal entry ${entry.sequence} is not what was written: its hash is wrong`;
  return undefined;
}
