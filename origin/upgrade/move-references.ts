import type { Redis } from "ioredis";
import { referenceFrom } from "../commit/row-fields.ts";
import { HOUR_MS } from "../engine/references.ts";
import { replies } from "../redis/pipeline.ts";
import { PROJECTED_KEY, referencesKey } from "./keys.ts";
import { createLatestRows, type LatestRows, referenceName } from "./latest-rows.ts";
import { writeNames } from "./name-writes.ts";
import { createWrites } from "./writes.ts";

type MoveOptions = { readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void };

const PAGE = 1_000;
/** Those of earlier hours count no longer, and expire by themselves. */
const HOURS = 26;

/**
 * From the first layout to the second: names of an hour as JSON (`v1:{t0}:references:<hour>`) become packed names, and each user's are counted. Takes
 * time in proportion to the names of a day. An hour's old key goes last, and everything written before is the same if it is written again: so
 * whoever was interrupted begins again, with the hours that are left. Nothing else may write meanwhile.
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
  /** A scan may show a field twice. */
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
