import { Redis } from "ioredis";

/**
 * Checks a Redis that is to keep orders; one sentence per fault, none if an acknowledged write survives a crash there.
 * A server whose settings cannot be read is not trusted either.
 */
export async function storeFaults(redis: Redis): Promise<readonly string[]> {
  const info = await redis.info();
  if (/^dragonfly_version:/m.test(info))
    return ["The venue's store is Dragonfly, which keeps no append-only file: use Redis or Valkey."];
  if (/^upstash_version:/m.test(info))
    return ["The venue's store is Upstash, which does not guarantee that a write survives: use Redis or Valkey."];
  const settings = await readSettings(redis);
  if (settings === undefined)
    return [
      "The settings of the venue's Redis cannot be read (CONFIG GET is not allowed), so it is unknown whether it keeps orders.",
    ];
  return REQUIRED.flatMap(({ name, value, why }) => {
    const found = settings.get(name);
    return found === value ? [] : [`The venue's Redis has ${name} ${found ?? "unset"} and needs ${value}: ${why}.`];
  });
}

const REQUIRED = [
  { name: "appendonly", value: "yes", why: "without the append-only file a restart loses everything" },
  { name: "appendfsync", value: "always", why: "otherwise acknowledged orders are lost when the machine stops" },
  { name: "no-appendfsync-on-rewrite", value: "no", why: "a rewrite of the file would switch fsync off" },
  { name: "maxmemory-policy", value: "noeviction", why: "a full store would silently drop orders" },
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

/** The user's own servers, by the variables that name them. */
type OwnServers = {
  readonly REDIS_URL: string | undefined;
  readonly VENUE_REDIS_URL: string | undefined;
  readonly isUnsafeStoreAllowed: boolean;
};

const ANSWER_MS_MAX = 2_000;
const POLICY = /^maxmemory_policy:(\S+)/m;

/**
 * Checks the user's own servers before anything is started on them; one sentence per fault. A Redis that evicts keys
 * silently drops places in line, sessions and orders; the venue's must also keep acknowledged writes. A server that
 * does not answer is left to the part that needs it, which reports why.
 */
export async function ownServerFaults({
  REDIS_URL,
  VENUE_REDIS_URL,
  isUnsafeStoreAllowed,
}: OwnServers): Promise<readonly string[]> {
  const line = await ask(REDIS_URL, evictionFaults);
  const venueEviction = await ask(VENUE_REDIS_URL, evictionFaults);
  const venueStore = isUnsafeStoreAllowed || venueEviction.length > 0 ? [] : await ask(VENUE_REDIS_URL, storeFaults);
  return [
    ...line.map((fault) => `REDIS_URL: ${fault}`),
    ...venueEviction.map((fault) => `VENUE_REDIS_URL: ${fault}`),
    ...venueStore.map((fault) => `VENUE_REDIS_URL: ${fault} SLUICE_UNSAFE_STORE=1 trades without it.`),
  ];
}

async function evictionFaults(redis: Redis): Promise<readonly string[]> {
  const policy = POLICY.exec(await redis.info("memory"))?.[1];
  if (policy === undefined || policy === "noeviction") return [];
  return [`this Redis may drop keys when it is full (maxmemory-policy ${policy}): set it to noeviction.`];
}

async function ask(
  url: string | undefined,
  question: (redis: Redis) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  if (url === undefined) return [];
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    enableReadyCheck: false,
    connectTimeout: ANSWER_MS_MAX,
    commandTimeout: ANSWER_MS_MAX,
  });
  // ioredis repeats every failure as an event.
  redis.on("error", () => {});
  try {
    await redis.connect();
    return await question(redis);
  } catch {
    return [];
  } finally {
    redis.disconnect();
  }
}
