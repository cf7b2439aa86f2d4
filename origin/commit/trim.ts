import type { Redis } from "ioredis";
import { parseStreamId } from "../commands/command-id.ts";
import { COMMANDS_KEY } from "../commands/keys.ts";
import { NONCE_MS_MAX } from "../engine/limits.ts";
import { PROJECTED_KEY } from "../projections/keys.ts";
import type { JournalPosition } from "./journal.ts";
import { CONSUMERS_KEY, JOURNAL_KEY } from "./keys.ts";

/**
 * Keeps the two streams short. Commands go as soon as they are committed. The journal goes only behind the state projection and every registered
 * consumer, and stays for some minutes beyond that, so that outcomes can be asked for.
 */
export type Trimming = {
  /** After a commit, as often as one likes. */
  readonly note: (committed: JournalPosition, bodyChars: number) => void;
  readonly run: () => Promise<void>;
};

/** For how long the outcome of a command can be asked for. */
const KEPT_MS_MIN = 180_000;
/**
 * Of that, no more than this: on a venue at full speed the minutes would be more than a machine has memory. What a nonce still counts in stays all the
 * same, because an engine that starts finds the nonces there.
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

  /** The newest entry that may go by age or by size. */
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
    // The entry itself stays: the next engine looks whether all of it was committed.
    await redis.xtrim(COMMANDS_KEY, "MINID", "~", place.entryId);
    trimmedCommand = command;
  }

  return {
    note(position, bodyChars) {
      committed = position;
      chars += bodyChars;
      const last = marks.at(-1);
      if (last === undefined || nowMs() - last.atMs >= MARK_EVERY_MS) marks.push({ atMs: nowMs(), sequence: position.sequence, chars });
    },
    async run() {
      if (committed === undefined) return;
      await trimCommands(committed.command);
      const sequence = outlived();
      if (sequence > 0) await redis.xtrim(JOURNAL_KEY, "MINID", "~", `${Math.min(sequence, await slowestReader(redis)) + 1}-0`);
    },
  };
}

/** Everything up to here has been read by all. */
async function slowestReader(redis: Redis): Promise<number> {
  const projected = Number((await redis.hget(PROJECTED_KEY, "sequence")) ?? 0);
  const consumers = Object.values(await redis.hgetall(CONSUMERS_KEY)).map(Number);
  return Math.min(projected, ...consumers);
}
