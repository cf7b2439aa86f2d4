import type { Redis } from "ioredis";
import { PROJECTED_KEY } from "./keys.ts";

/**
 * How far the state projection has come, as this process knows. A client that was just answered reads its own writes: the read waits here
 * until the projection has reached the sequence that the client was told. All who wait share one question to Redis.
 */
export type ProjectedPosition = {
  readonly untilProjected: (sequence: number) => Promise<boolean>;
  /** From a projection in the same process: nobody has to ask. */
  readonly note: (sequence: number) => void;
};

/** A projection that is this late is in trouble; its readers get what is there. */
const WAIT_MS_MAX = 1_000;
const ASK_EVERY_MS = 3;

type Reader = { readonly sequence: number; readonly tell: (isThere: boolean) => void; timer: NodeJS.Timeout };

export function createProjectedPosition(redis: Redis): ProjectedPosition {
  const readers = new Set<Reader>();
  let known = 0;
  let isAsking = false;

  function note(sequence: number): void {
    // A store that was restored or emptied stands further back: what it says now is what counts.
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
      // Redis is away: those who wait are let go when their time is up.
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
