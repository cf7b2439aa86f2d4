import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnavailable } from "../../db/database.ts";

/** Called after each page of rows; lets other work run. */
export type Pause = () => Promise<void>;

const PAUSE_MS_MAX = 1_000;
const TRIES_MAX = 5;

/**
 * Pauses in proportion to the time a page took, so that an audit takes at most this share of both stores, however slow
 * they are.
 */
export function createPace(share: number): Pause {
  let sinceMs = performance.now();
  return async () => {
    const tookMs = performance.now() - sinceMs;
    await sleep(Math.min(PAUSE_MS_MAX, tookMs * (1 / share - 1)));
    sinceMs = performance.now();
  };
}

/** Without a pause, except that other work gets its turn. */
export const noPace: Pause = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Retries a page that the database was too busy for: an audit of an hour should not fail because of two busy seconds.
 */
export async function patiently<Value>(read: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || tries === TRIES_MAX) throw error;
      await sleep(PAUSE_MS_MAX * tries);
    }
  }
}
