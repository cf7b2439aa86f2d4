import { Redis } from "ioredis";
import { commitEntry } from "../../../origin/commit/commit.ts";
import { readJournal } from "../../../origin/journal/journal.ts";
import { resultCount } from "../../../origin/journal/journal-body.ts";
import { FENCE_KEY, OFFSET_KEY } from "../../../origin/journal/keys.ts";
import { scriptRunner } from "../../../origin/redis/script-runner.ts";
import type { RedisServer } from "../../../stack/servers/redis-server.ts";

const ENTRIES_MAX = 2_000;

/**
 * Redis' time for the commits, in microseconds per order: the entries of a run are committed again on an idle server,
 * whose own count is read. On the first server other scripts are counted under the same name.
 */
export async function commitMicros(from: RedisServer, on: RedisServer): Promise<number> {
  const source = new Redis(from.url);
  const target = new Redis(on.url);
  try {
    const last = Number(await source.hget(OFFSET_KEY, "sequence"));
    const first = Math.max(1, last - ENTRIES_MAX + 1);
    const entries = await readJournal(source, first - 1, ENTRIES_MAX);
    await target.hset(FENCE_KEY, "epoch", "1");
    await target.hset(OFFSET_KEY, "sequence", String(first - 1));
    const runner = scriptRunner(target);
    let orders = 0;
    for (const entry of entries) {
      await commitEntry(runner, 1, entry);
      orders += resultCount(entry.body);
    }
    const micros = Number(/cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(await target.info("commandstats"))?.[1]);
    return micros / orders;
  } finally {
    source.disconnect();
    target.disconnect();
  }
}
