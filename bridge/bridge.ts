import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { REQUEST_TIMEOUT_MS } from "../stack/program/resp/redis-lane.ts";
import { createTokenCheck } from "./access-tokens.ts";
import { createCommandPolicy } from "./command-policy.ts";
import { createEventStreams } from "./event-streams.ts";
import { createHttpHandler } from "./http-handler.ts";
import { createClusterStore } from "./store/cluster-store.ts";
import { createDirectStore } from "./store/direct-store.ts";
import type { Store } from "./store/store.ts";

/**
 * The REST bridge: speaks the Upstash REST protocol to any Redis, Valkey, Dragonfly or Redis Cluster, so that code at
 * the edge, which has `fetch` but no sockets, reaches a self-hosted store with the unchanged `@upstash/redis` client.
 *
 * It promises: every command really goes to Redis, at most once, and its reply comes back byte for byte; no caller
 * waits longer than a second unless the operator gives Redis more time; commands that would harm others on a shared
 * server, or the shared connection, are refused unless the operator allows them. Scripts are not inspected: give the
 * bridge a Redis user with the rights it should have.
 *
 * While Redis is unavailable it answers 503 at once, and recovers by itself when Redis is back. After a 503 the command
 * may have run: callers make their commands idempotent.
 */
export type Bridge = {
  readonly port: number;
  readonly url: string;
  readonly stop: () => Promise<void>;
};

export type BridgeOptions = {
  /** One server, or some nodes of a cluster. */
  readonly redisUrls: readonly [string, ...string[]];
  readonly isCluster: boolean;
  /** How many replicas must have a change before its caller gets the reply. Only with a cluster. */
  readonly replicas?: number;
  /** Loopback by default. */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly token: string;
  readonly readOnlyToken?: string | undefined;
  /** Commands let through beyond the table. */
  readonly allow: readonly string[];
  readonly log: Logger;
  readonly requestTimeoutMs?: number;
  readonly bodyBytesMax?: number;
  readonly streamsMax?: number;
};

const LOOPBACK = "127.0.0.1";
/** The same as the hosted service. */
const BODY_BYTES_MAX = 10 * 1024 * 1024;
const STREAMS_MAX = 256;
const CONNECTIONS_MAX = 10_000;
/** Longer than any caller keeps an idle connection: the side that reuses it must close it. */
const KEEP_ALIVE_MS = 120_000;
/** A whole request must have come in by then, however slowly it is sent. */
const RECEIVE_MS_MAX = 15_000;
/** Requests under way may finish; the request timeout is hardly longer. */
const STOP_GRACE_MS = 600;

export async function startBridge(options: BridgeOptions): Promise<Bridge> {
  const store = createStore(options);
  const isMonitorAllowed = options.allow.some((name) => name.toUpperCase() === "MONITOR");
  const streams = createEventStreams({ store, isMonitorAllowed, streamsMax: options.streamsMax ?? STREAMS_MAX });
  const handler = createHttpHandler({
    store,
    streams,
    log: options.log,
    policy: createCommandPolicy({ allow: options.allow.filter((name) => name.toUpperCase() !== "MONITOR") }),
    checkToken: createTokenCheck({ token: options.token, readOnlyToken: options.readOnlyToken }),
    bodyBytesMax: options.bodyBytesMax ?? BODY_BYTES_MAX,
  });
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: RECEIVE_MS_MAX, requestTimeout: RECEIVE_MS_MAX, noDelay: true },
    handler,
  );
  server.maxConnections = CONNECTIONS_MAX;
  try {
    server.listen(options.port, options.host ?? LOOPBACK);
    await once(server, "listening");
  } catch (error) {
    store.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;

  async function stop(): Promise<void> {
    streams.closeAll();
    await closeServer(server);
    store.close();
  }

  return { port, url: `http://${LOOPBACK}:${port}`, stop };
}

function createStore({
  redisUrls,
  isCluster,
  replicas = 0,
  requestTimeoutMs = REQUEST_TIMEOUT_MS,
  log,
}: BridgeOptions): Store {
  const onStateChange = createStateLog(log);
  if (isCluster) return createClusterStore({ urls: redisUrls, replicas, requestTimeoutMs, onStateChange });
  const onFault = (error: unknown) => log.error({ err: error }, "a reply failed in the bridge itself");
  return createDirectStore({ url: redisUrls[0], requestTimeoutMs, onStateChange, onFault });
}

/** An unavailable server fails every second; each reason is logged once. */
function createStateLog(log: Logger): (state: "ready" | "lost", error?: Error) => void {
  let wasReady = false;
  let lastReason: string | undefined;

  return (state, error) => {
    if (state === "ready") {
      log.info("redis is ready");
      lastReason = undefined;
    } else if (error !== undefined && error.message !== lastReason) {
      log.warn({ err: error }, "redis cannot be reached");
      lastReason = error.message;
    } else if (error === undefined && wasReady) {
      log.warn("the connection to redis was closed");
    }
    wasReady = state === "ready" || (wasReady && error !== undefined);
  };
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  await Promise.race([closed, sleep(STOP_GRACE_MS, undefined, { ref: false })]);
  server.closeAllConnections();
  await closed;
}
