import { Redis } from "ioredis";

/** The user's own servers, by the variable that names them. */
type OwnServers = Readonly<Record<string, string | undefined>>;

const ANSWER_MS_MAX = 2_000;
const POLICY = /^maxmemory_policy:(\S+)/m;

/**
 * A Redis that drops keys when it is full drops places in line, sessions and orders without a word, so it is not started on. One
 * sentence for each such server. One that cannot be asked is left to the part that needs it, which says why.
 */
export async function evictionFaults(servers: OwnServers): Promise<readonly string[]> {
  const faults = Object.entries(servers).map(async ([variable, url]) => {
    const policy = url === undefined ? undefined : await evictionPolicy(url);
    if (policy === undefined || policy === "noeviction") return [];
    return [`${variable}: this Redis may drop keys when it is full (maxmemory-policy ${policy}): set it to noeviction.`];
  });
  return (await Promise.all(faults)).flat();
}

async function evictionPolicy(url: string): Promise<string | undefined> {
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
    return POLICY.exec(await redis.info("memory"))?.[1];
  } catch {
    return undefined;
  } finally {
    redis.disconnect();
  }
}
