import type { Redis } from "ioredis";
import { queueKeys } from "../../edge/queue/keys.ts";

/** What stands in Redis for one queue at one moment: ticket -> score. */
export type Snapshot = {
  readonly waiting: ReadonlyMap<string, number>;
  readonly beats: ReadonlyMap<string, number>;
  readonly active: ReadonlyMap<string, number>;
  readonly ready: ReadonlyMap<string, number>;
  /** When the line last wrote its account of tokens. */
  readonly accountMs: number;
};

/**
 * Sends the reads at once. On the connection of the call before it they run right behind that call, so the snapshot
 * is what the call left behind.
 */
export async function takeSnapshot(redis: Redis, queueId: string): Promise<Snapshot> {
  const keys = queueKeys(queueId);
  const all = (key: string) => redis.zrange(key, "0", "-1", "WITHSCORES");
  const account = redis.hget(keys.bucket, "refilled_at");
  const [waiting, beats, active, ready] = await Promise.all([all(keys.waiting), all(keys.beats), all(keys.active), all(keys.ready)]);
  return { waiting: scores(waiting), beats: scores(beats), active: scores(active), ready: scores(ready), accountMs: Number(await account) };
}

function scores(flat: readonly string[]): ReadonlyMap<string, number> {
  const map = new Map<string, number>();
  for (let at = 0; at + 1 < flat.length; at += 2) map.set(String(flat[at]), Number(flat[at + 1]));
  return map;
}
