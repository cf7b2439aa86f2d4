import { Redis } from "ioredis";
import { storeFaults } from "../commit/check-store.ts";

/** The user's own servers, by the variables that name them. */
type OwnServers = {
  readonly REDIS_URL: string | undefined;
  readonly VENUE_REDIS_URL: string | undefined;
  readonly isUnsafeStoreAllowed: boolean;
};

const ANSWER_MS_MAX = 2_000;
const POLICY = /^maxmemory_policy:(\S+)/m;

/**
 * What speaks against the user's own servers, a sentence each, before anything is started on them. A Redis that drops keys when it is
 * full drops places in line, sessions and orders without a word; the venue's has to keep what was acknowledged as well. One that cannot
 * be asked is left to the part that needs it, which says why.
 */
export async function ownServerFaults({ REDIS_URL, VENUE_REDIS_URL, isUnsafeStoreAllowed }: OwnServers): Promise<readonly string[]> {
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

async function ask(url: string | undefined, question: (redis: Redis) => Promise<readonly string[]>): Promise<readonly string[]> {
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
