import { Redis, type RedisOptions } from "ioredis";
import type { Logger } from "pino";

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_DELAY_MS_MAX = 500;
/** A server that hangs counts as unavailable. */
const COMMAND_TIMEOUT_MS = 1_000;

/** If a reply is overdue by this much beyond the command timeout, the peer is gone without closing the connection. */
const SILENCE_MS = 1_000;

export type ConnectOptions = {
  readonly commandTimeoutMs?: number;
  /** `createRedisLane` reads its bytes: ioredis sends nothing on it once it is ready. */
  readonly isRaw?: boolean;
};

const RAW = { protocol: 2, disableClientInfo: true } as const;

/**
 * A connection that reconnects by itself and never makes a caller wait: while Redis is unavailable, a command fails at
 * once instead of being queued, so the caller can answer 503.
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
    // ioredis would resubscribe in an unhandled promise, and a failure would end the process. Subscribers resubscribe
    // on "ready".
    autoResubscribe: false,
    retryStrategy: (attempt) => Math.min(attempt * 50, RECONNECT_DELAY_MS_MAX),
    ...(isRaw ? RAW : { socketTimeout: commandTimeoutMs + SILENCE_MS }),
  });
  redis.on("error", (error) => log.warn({ err: error }, "redis connection"));
  return redis;
}

/** ioredis accepts the option; its types do not. */
const NO_SOCKET_TIMEOUT = { socketTimeout: undefined } as RedisOptions;

/** Another connection to the same server; `createRedisLane` reads its bytes. */
export function connectRawBeside(redis: Redis, log: Logger): Redis {
  const raw = redis.duplicate({ ...RAW, ...NO_SOCKET_TIMEOUT });
  raw.on("error", (error) => log.warn({ err: error }, "redis connection"));
  return raw;
}
