import type { Redis } from "ioredis";
import { queueKeys } from "../../edge/line/keys.ts";

/** The state of one queue in Redis at one moment: ticket -> score. */
export type Snapshot = {
  readonly waiting: ReadonlyMap<string, number>;
  readonly beats: ReadonlyMap<string, number>;
  readonly active: ReadonlyMap<string, number>;
  readonly ready: ReadonlyMap<string, number>;
  /** When the line last wrote its account of tokens. */
  readonly accountMs: number;
  /** When the line last recorded a call. */
  readonly heardMs: number;
  /** The line's own counters. */
  readonly tally: Readonly<Record<"enqueued" | "returned" | "admitted" | "expired" | "left" | "waitMs", number>>;
};

const TALLY_FIELDS = [
  "total_enqueued",
  "total_returned",
  "total_admitted",
  "total_expired",
  "total_left",
  "wait_ms_sum",
] as const;

/**
 * Sends all reads at once. On the connection of a call they run right after it, so the snapshot is the state that it
 * left.
 */
export async function takeSnapshot(redis: Redis, queueId: string): Promise<Snapshot> {
  const keys = queueKeys(queueId);
  const all = (key: string) => redis.zrange(key, "0", "-1", "WITHSCORES");
  const account = redis.hmget(keys.bucket, "refilled_at", "heard_at");
  const counted = redis.hmget(keys.stats, ...TALLY_FIELDS);
  const [waiting, beats, active, ready] = await Promise.all([
    all(keys.waiting),
    all(keys.beats),
    all(keys.active),
    all(keys.ready),
  ]);
  const [enqueued = 0, returned = 0, admitted = 0, expired = 0, left = 0, waitMs = 0] = (await counted).map(Number);
  const tally = { enqueued, returned, admitted, expired, left, waitMs };
  const places = { waiting: scores(waiting), beats: scores(beats), active: scores(active), ready: scores(ready) };
  const [accountMs = 0, heardMs = 0] = (await account).map(Number);
  return { ...places, accountMs, heardMs, tally };
}

function scores(flat: readonly string[]): ReadonlyMap<string, number> {
  const map = new Map<string, number>();
  for (let at = 0; at + 1 < flat.length; at += 2) map.set(String(flat[at]), Number(flat[at + 1]));
  return map;
}
