import type { Redis } from "ioredis";
import { HOUR_MS } from "../engine/names/references.ts";
import { referenceFrom } from "../journal/row-fields.ts";
import { replies } from "../redis/pipeline.ts";
import { PROJECTED_KEY, referencesKey } from "../state/keys.ts";
import { createLatestRows, type LatestRows, referenceName } from "../state/latest-rows.ts";
import { writeNames } from "../state/name-store.ts";
import { createWrites } from "../state/writes.ts";

type MoveOptions = { readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void };

const PAGE = 1_000;
/** Names of earlier hours no longer count and expire by themselves. */
const HOURS = 26;

/**
 * From layout 1 to layout 2: the names of an hour, stored as JSON (`v1:{t0}:references:<hour>`), become packed names,
 * and the names of each user are counted. Takes time in proportion to the names of a day. The old key of an hour is
 * deleted last and all writes are repeatable, so an interrupted upgrade starts again with the remaining hours. Nothing
 * else may write meanwhile.
 */
export async function moveReferences(redis: Redis, { onProgress }: MoveOptions = {}): Promise<void> {
  const last = Math.floor(Number((await redis.hget(PROJECTED_KEY, "at")) ?? 0) / HOUR_MS) + 1;
  const hours = Array.from({ length: HOURS + 2 }, (_, back) => last - back);
  const counting = redis.pipeline();
  for (const hour of hours) counting.hlen(referencesKey(hour));
  const total = (await replies(counting)).reduce<number>((sum, length) => sum + Number(length), 0);
  const expiring = new Set<string>();
  let done = 0;
  for (const hour of hours) {
    const onMoved = (moved: number) => {
      done += moved;
      onProgress?.({ done, total });
    };
    await moveHour(redis, { hour, expiring, onMoved });
  }
}

type Hour = { readonly hour: number; readonly expiring: Set<string>; readonly onMoved: (count: number) => void };

async function moveHour(redis: Redis, { hour, expiring, onMoved }: Hour): Promise<void> {
  const counts = new Map<string, number>();
  /** A scan may return a field twice. */
  const seen = new Set<string>();
  let cursor = "0";
  do {
    const [next, flat] = await redis.hscan(referencesKey(hour), cursor, "COUNT", PAGE);
    cursor = next;
    const rows = createLatestRows();
    for (let at = 0; at < flat.length; at += 2) {
      const [name = "", text = ""] = [flat[at], flat[at + 1]];
      if (seen.has(name)) continue;
      seen.add(name);
      const row = referenceFrom(JSON.parse(text));
      counts.set(row.user, (counts.get(row.user) ?? 0) + 1);
      rows.references.set(referenceName(row), row);
    }
    await write(redis, rows, expiring);
    onMoved(rows.references.size);
  } while (cursor !== "0");
  if (seen.size === 0) return;
  const users = [...counts];
  for (let from = 0; from < users.length; from += PAGE) {
    const rows = createLatestRows();
    rows.named.set(hour, new Map(users.slice(from, from + PAGE)));
    await write(redis, rows, expiring);
  }
  await redis.unlink(referencesKey(hour));
}

async function write(redis: Redis, rows: LatestRows, expiring: Set<string>): Promise<void> {
  const writes = createWrites();
  writeNames(rows, expiring, writes);
  const pipeline = redis.pipeline();
  for (const [command, ...args] of writes.all()) pipeline.call(command, ...args);
  await replies(pipeline);
}
