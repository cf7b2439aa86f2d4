import { Redis, type RedisOptions } from "ioredis";
import type { Logger } from "pino";

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_DELAY_MS_MAX = 500;
/** A server that hangs is as good as away. */
const COMMAND_TIMEOUT_MS = 1_000;

/** A connection that owes an answer for this much longer than a command may take leads nowhere: the other side is gone without a word. */
const SILENCE_MS = 1_000;

export type ConnectOptions = {
  readonly commandTimeoutMs?: number;
  /** Its bytes are read by `createRedisLane`: ioredis says nothing on it once it is ready. */
  readonly isRaw?: boolean;
};

const RAW = { protocol: 2, disableClientInfo: true } as const;

/**
 * A connection that heals itself but never lets a caller wait for it: while Redis is away a command fails at once
 * instead of queueing up, so that the caller can answer 503.
 */
export function connectRedis(
  url: string,
  log: Logger,
  { commandTimeoutMs = COMMAND_TIMEOUT_MS, isRaw = false }: ConnectOptions = {},
): Redis {
  const redis = new Redis(url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: commandTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // ioredis would do it in a promise that nobody holds, and a failure would end the process. Who subscribes does so on "ready".
    autoResubscribe: false,
    retryStrategy: (attempt) => Math.min(attempt * 50, RECONNECT_DELAY_MS_MAX),
    ...(isRaw ? RAW : { socketTimeout: commandTimeoutMs + SILENCE_MS }),
  });
  redis.on("error", (error) => log.warn({ err: error }, "redis connection"));
  return redis;
}

/** ioredis takes what it is told, even where its types do not let one tell it. */
const NO_SOCKET_TIMEOUT = { socketTimeout: undefined } as RedisOptions;

/** A further connection to the same server, whose bytes are read by `createRedisLane`. */
export function connectRawBeside(redis: Redis, log: Logger): Redis {
  const raw = redis.duplicate({ ...RAW, ...NO_SOCKET_TIMEOUT });
  raw.on("error", (error) => log.warn({ err: error }, "redis connection"));
  return raw;
}
