import type { Redis } from "ioredis";

/**
 * What is wrong with a server that orders shall be kept in, in sentences; none if an acknowledged write survives a crash there. A server whose
 * settings cannot be read is not trusted either.
 */
export async function storeFaults(redis: Redis): Promise<readonly string[]> {
  const info = await redis.info();
  if (/^dragonfly_version:/m.test(info)) return ["The venue's store is Dragonfly, which keeps no append-only file: use Redis or Valkey."];
  if (/^upstash_version:/m.test(info))
    return ["The venue's store is Upstash, which does not promise that a write survives: use Redis or Valkey."];
  const settings = await readSettings(redis);
  if (settings === undefined)
    return ["The settings of the venue's Redis cannot be read (CONFIG GET is not allowed), so nobody knows whether it keeps orders."];
  return REQUIRED.flatMap(({ name, value, why }) => {
    const found = settings.get(name);
    return found === value ? [] : [`The venue's Redis has ${name} ${found ?? "unset"} and needs ${value}: ${why}.`];
  });
}

const REQUIRED = [
  { name: "appendonly", value: "yes", why: "without the append-only file a restart forgets everything" },
  { name: "appendfsync", value: "always", why: "otherwise acknowledged orders are lost when the machine stops" },
  { name: "no-appendfsync-on-rewrite", value: "no", why: "a rewrite of the file would switch fsync off" },
  { name: "maxmemory-policy", value: "noeviction", why: "a full store would drop orders without a word" },
] as const;

async function readSettings(redis: Redis): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const settings = new Map<string, string>();
    for (const { name } of REQUIRED) {
      const [, value] = (await redis.config("GET", name)) as string[];
      if (value !== undefined) settings.set(name, value);
    }
    return settings;
  } catch (error) {
    if (error instanceof Error && error.name === "ReplyError") return undefined;
    throw error;
  }
}
