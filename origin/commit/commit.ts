import { z } from "zod";
import { defineScript, type ScriptRunner } from "../../shared/define-script.ts";
import source from "./commit.lua";
import type { JournalEntry } from "./journal.ts";
import { FENCE_KEY, JOURNAL_KEY, OFFSET_KEY } from "./keys.ts";

const commitScript = defineScript({
  name: "commit",
  source,
  keys: ["fence", "offset", "journal"],
  args: {
    epoch: z.int(),
    before: z.int(),
    sequence: z.int(),
    hashBefore: z.string(),
    hash: z.string(),
    command: z.string(),
    body: z.string(),
  },
  reply: z.enum(["committed", "deposed", "elsewhere"]),
});

/**
 * The one fenced, atomic write. `deposed`: another epoch has begun. `elsewhere`: the journal does not end where the writer believes. In both
 * cases nothing was written; if the call fails, nobody knows.
 */
export function commitEntry(runner: ScriptRunner, epoch: number, entry: JournalEntry) {
  return commitScript.run(runner, {
    keys: { fence: FENCE_KEY, offset: OFFSET_KEY, journal: JOURNAL_KEY },
    args: {
      epoch,
      before: entry.sequence - 1,
      sequence: entry.sequence,
      hashBefore: entry.previousHash,
      hash: entry.hash,
      command: entry.command,
      body: entry.body,
    },
  });
}
