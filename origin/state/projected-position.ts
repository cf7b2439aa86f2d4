import type { Redis } from "ioredis";
import { PROJECTED_KEY } from "./keys.ts";

/**
 * The position of the state projection, as this process knows it. A client reads its own writes: its read waits here
 * until the projection has reached the sequence of the client's last answer. All waiting reads share one question to
 * Redis.
 */
export type ProjectedPosition = {
  readonly untilProjected: (sequence: number) => Promise<boolean>;
  /** From a projection in the same process: Redis need not be asked. */
  readonly note: (sequence: number) => void;
};

/** Readers of a projection that is this late get its current state. */
const WAIT_MS_MAX = 1_000;
const ASK_EVERY_MS = 3;

type Reader = { readonly sequence: number; readonly tell: (isThere: boolean) => void; timer: NodeJS.Timeout };

export function createProjectedPosition(redis: Redis): ProjectedPosition {
  const readers = new Set<Reader>();
  let known = 0;
  let isAsking = false;

  function note(sequence: number): void {
    // A restored or emptied store has an earlier position: the latest answer counts.
    known = sequence;
    for (const reader of readers) if (reader.sequence <= known) release(reader, true);
  }

  function release(reader: Reader, isThere: boolean): void {
    clearTimeout(reader.timer);
    readers.delete(reader);
    reader.tell(isThere);
  }

  async function ask(): Promise<void> {
    isAsking = true;
    try {
      while (readers.size > 0) {
        note(Number((await redis.hget(PROJECTED_KEY, "sequence")) ?? 0));
        if (readers.size > 0) await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
      }
    } catch {
      // Redis is unavailable: waiting readers are released when their time is up.
    } finally {
      isAsking = false;
    }
  }

  function untilProjected(sequence: number): Promise<boolean> {
    if (sequence <= known) return Promise.resolve(true);
    return new Promise((tell) => {
      const reader: Reader = { sequence, tell, timer: setTimeout(() => release(reader, false), WAIT_MS_MAX) };
      readers.add(reader);
      if (!isAsking) void ask();
    });
  }

  return { untilProjected, note };
}
