import type { Redis } from "ioredis";
import { NONCE_MS_MAX } from "../engine/limits.ts";
import { parseStreamId } from "../journal/command-text.ts";
import type { JournalPosition } from "../journal/journal.ts";
import { COMMANDS_KEY, CONSUMERS_KEY, JOURNAL_KEY } from "../journal/keys.ts";
import { PROJECTED_KEY } from "../state/keys.ts";

/**
 * Keeps the two streams short. Commands are trimmed as soon as they are committed. The journal is trimmed up to the
 * slowest of the state projection and the registered consumers, and some minutes later than that, so that outcomes can
 * be looked up.
 */
export type Trimming = {
  /** After a commit. */
  readonly note: (committed: JournalPosition, bodyChars: number) => void;
  readonly run: () => Promise<void>;
};

/**
 * The outcome of a command can be looked up, and a live client can resume, for so long: a phone in a tunnel, a restart
 * of everything. `docs/operations.md` promises it.
 */
const KEPT_MS_MIN = 300_000;
/**
 * At most this much of it: at full speed the minutes would take more memory than a machine has. Entries whose nonces
 * still count stay, because a starting engine reads the nonces from them.
 */
const KEPT_CHARS_MAX = 512 * 1024 * 1024;
const MARK_EVERY_MS = 2_000;

type Mark = { readonly atMs: number; readonly sequence: number; readonly chars: number };

export function createTrimming(redis: Redis, nowMs: () => number): Trimming {
  const marks: Mark[] = [];
  let committed: JournalPosition | undefined;
  let chars = 0;
  let trimmedCommand = "";

  function mayGo(mark: Mark): boolean {
    const ageMs = nowMs() - mark.atMs;
    return ageMs >= KEPT_MS_MIN || (ageMs >= NONCE_MS_MAX && chars - mark.chars > KEPT_CHARS_MAX);
  }

  /** The newest entry that may be trimmed by age or by size. */
  function outlived(): number {
    let sequence = 0;
    while (marks[0] !== undefined && mayGo(marks[0])) {
      sequence = marks.shift()?.sequence ?? 0;
    }
    return sequence;
  }

  async function trimCommands(command: string): Promise<void> {
    const place = parseStreamId(command);
    if (place === undefined || command === trimmedCommand) return;
    // The entry itself stays: the next engine checks whether all of it was committed.
    await redis.xtrim(COMMANDS_KEY, "MINID", "~", place.entryId);
    trimmedCommand = command;
  }

  return {
    note(position, bodyChars) {
      committed = position;
      chars += bodyChars;
      const last = marks.at(-1);
      if (last === undefined || nowMs() - last.atMs >= MARK_EVERY_MS)
        marks.push({ atMs: nowMs(), sequence: position.sequence, chars });
    },
    async run() {
      if (committed === undefined) return;
      await trimCommands(committed.command);
      const sequence = outlived();
      if (sequence > 0)
        await redis.xtrim(JOURNAL_KEY, "MINID", "~", `${Math.min(sequence, await slowestReader(redis)) + 1}-0`);
    },
  };
}

/** The last entry that every consumer has read. */
async function slowestReader(redis: Redis): Promise<number> {
  const projected = Number((await redis.hget(PROJECTED_KEY, "sequence")) ?? 0);
  const consumers = Object.values(await redis.hgetall(CONSUMERS_KEY)).map(Number);
  return Math.min(projected, ...consumers);
}
