import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnavailable } from "../db/database.ts";

/** After each page of rows: others get their turn. */
export type Pause = () => Promise<void>;

const PAUSE_MS_MAX = 1_000;
const TRIES_MAX = 5;

/** Pauses in proportion to how long the page took, so that both stores give an audit this share of their time at most, however slow they are. */
export function createPace(share: number): Pause {
  let sinceMs = performance.now();
  return async () => {
    const tookMs = performance.now() - sinceMs;
    await sleep(Math.min(PAUSE_MS_MAX, tookMs * (1 / share - 1)));
    sinceMs = performance.now();
  };
}

/** For work that nobody waits for: only others get their turn. */
export const noPace: Pause = () => new Promise((resolve) => setImmediate(resolve));

/** A page that the database had no time for is asked for again: an audit of an hour should not fail because of two busy seconds. */
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
