import type { Redis } from "ioredis";
import type { Nonce } from "../engine/command.ts";
import { NONCE_MS_MAX } from "../engine/limits.ts";
import { readJournalBackwards } from "./journal.ts";
import { bodyTime, noncesIn } from "./journal-body.ts";

const READ_ENTRIES_MAX = 100;

/**
 * The nonces that still count at an entry of the journal, for an engine that starts from the projected state: they are nowhere but in the
 * commands of the last minute's entries, which the journal holds for longer than that. A standby takes them in with each entry.
 */
export async function readNonces(redis: Redis, at: { readonly sequence: number; readonly timeMs: number }): Promise<readonly Nonce[]> {
  const nonces: Nonce[] = [];
  let before = at.sequence + 1;
  for (;;) {
    const entries = await readJournalBackwards(redis, before, READ_ENTRIES_MAX);
    for (const { body } of entries) {
      // The engine's time never goes back: all before this one are older.
      if (bodyTime(body) <= at.timeMs - NONCE_MS_MAX) return nonces;
      nonces.push(...noncesIn(body));
    }
    if (entries.length < READ_ENTRIES_MAX) return nonces;
    before = entries.at(-1)?.sequence ?? 0;
  }
}
