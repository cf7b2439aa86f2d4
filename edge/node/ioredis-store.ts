import { Cluster, Redis } from "ioredis";
import type { ScriptRunner } from "../../shared/store/define-script.ts";
import { log } from "../request/log.ts";
import { type StorePatience, storePatience } from "../store/store-patience.ts";
import { createLaneRunner } from "./lane-runner.ts";
import { replicatedRunner } from "./replicated-runner.ts";

/** The gate's store over its own connection, to one Redis or to a cluster. */
export type IoredisStore = {
  readonly runner: ScriptRunner;
  /** Settles when the store answers, or has had its time to. */
  readonly settled: Promise<void>;
  readonly close: () => void;
};

type StoreAddress = {
  /** For a cluster some of its nodes; the others are learnt from them. */
  readonly urls: readonly [string, ...string[]];
  readonly isCluster: boolean;
  /** How many replicas must have a change before it is confirmed; 0: the master is enough. */
  readonly replicas?: number;
  readonly patience?: StorePatience;
};

const CONNECT_MS_MAX = 2_000;
/**
 * With commands open and no reply for this long, or twice the longest wait, the connection counts as dead and is
 * replaced.
 */
const SILENCE_MS_MAX = 3_000;
const RECONNECT_MS_MAX = 500;
const START_MS_MAX = 1_000;

const CONNECTION = {
  // The replies that @upstash/redis gives as well.
  protocol: 2,
  connectTimeout: CONNECT_MS_MAX,
  // A script whose reply was lost may have run: its caller knows better than the client whether to ask again.
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
} as const;

type Connection = typeof CONNECTION & { readonly commandTimeout: number; readonly socketTimeout: number };

const reconnectMs = (attempt: number) => Math.min(attempt * 50, RECONNECT_MS_MAX);

/**
 * Calls are tried once. While the store is unavailable they fail at once: nothing is kept to be sent later, when the
 * visitor is gone. The connection recovers automatically.
 */
export function openIoredisStore({
  urls,
  isCluster,
  replicas = 0,
  patience = storePatience(),
}: StoreAddress): IoredisStore {
  const { abandonMs } = patience;
  const connection = {
    ...CONNECTION,
    commandTimeout: abandonMs,
    socketTimeout: Math.max(SILENCE_MS_MAX, 2 * abandonMs),
  };
  const redis = isCluster ? openCluster(urls, connection) : openServer(urls[0], connection);
  let isReady: boolean | undefined;
  const settled = new Promise<void>((resolve) => {
    redis.once("ready", resolve);
    setTimeout(resolve, START_MS_MAX).unref();
  });
  redis.on("ready", () => {
    isReady = true;
    log("info", "the store answers");
  });
  // ioredis reports every attempt; one log line per outage is enough.
  redis.on("error", (error: Error) => {
    if (isReady !== false) log("warn", "the store is unavailable", { error });
    isReady = false;
  });
  return {
    runner: runnerOf(redis, { replicas, abandonMs }),
    settled,
    close: () => redis.disconnect(),
  };
}

type Calls = { readonly replicas: number; readonly abandonMs: number };

function runnerOf(redis: Redis | Cluster, { replicas, abandonMs }: Calls): ScriptRunner {
  if (replicas > 0) return replicatedRunner({ redis, replicas });
  if (redis instanceof Redis) return createLaneRunner(redis, abandonMs);
  return {
    evalsha: (sha, keys, args) => redis.evalsha(sha, keys.length, ...keys, ...args),
    eval: (source, keys, args) => redis.eval(source, keys.length, ...keys, ...args),
  };
}

function openServer(url: string, connection: Connection): Redis {
  return new Redis(url, { ...connection, enableOfflineQueue: false, retryStrategy: reconnectMs });
}

/** The nodes' passwords and TLS are those of the first URL: a cluster has one set of them. */
function openCluster(urls: readonly string[], connection: Connection): Cluster {
  return new Cluster([...urls], {
    enableOfflineQueue: false,
    // A command whose connection is lost is not sent again.
    retryDelayOnFailover: 0,
    slotsRefreshTimeout: CONNECT_MS_MAX,
    clusterRetryStrategy: reconnectMs,
    redisOptions: connection,
  });
}
