import type { Redis } from "ioredis";
import type { Metric } from "../../shared/http/exposition.ts";

/**
 * Commands that took 100 ms or more of the venue's Redis since this process began, from its slow log. Without
 * permission to read the log there is no figure. Waiting time (`BLOCK`) is not included.
 */
export type SlowCommands = { readonly look: () => Promise<void>; readonly metric: () => Metric };

const SLOW_US = 100_000;
/** The default length of Redis' slow log. */
const ENTRIES_MAX = 128;

type SlowEntry = readonly [id: number, atSeconds: number, durationUs: number, ...rest: readonly unknown[]];

export function createSlowCommands(redis: Redis): SlowCommands {
  let count: number | undefined;
  /** The last entry that was read; entries before the first read are not counted. */
  let seen = Number.NEGATIVE_INFINITY;

  return {
    async look() {
      const entries = await readLog(redis);
      if (entries === undefined) return;
      const newest = Math.max(-1, ...entries.map(([id]) => id));
      // Redis was restarted or the log was emptied: ids begin again.
      if (newest < seen) seen = -1;
      const isFirst = count === undefined;
      const slow = entries.filter(([id, , durationUs]) => id > seen && durationUs >= SLOW_US);
      count = isFirst ? 0 : (count ?? 0) + slow.length;
      seen = newest;
    },
    metric: () => ({
      ...{ name: "redis_slow_commands_total", kind: "counter", value: count },
      help: "Commands of 100 ms or more since this process began.",
    }),
  };
}

async function readLog(redis: Redis): Promise<readonly SlowEntry[] | undefined> {
  try {
    return (await redis.slowlog("GET", ENTRIES_MAX)) as readonly SlowEntry[];
  } catch (error) {
    if (error instanceof Error && error.name === "ReplyError") return undefined;
    throw error;
  }
}
