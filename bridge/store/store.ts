import type { Redis } from "ioredis";
import type { Work } from "./command.ts";

/** Where commands go. One implementation for a single server, one for a cluster. */
export type Store = {
  /** Calls `answer` exactly once, within the request timeout, whatever the server does. */
  readonly execute: (work: Work, answer: Answer) => void;
  /** Whether every server that is needed answers a PING in time. */
  readonly checkHealth: (tell: (isHealthy: boolean) => void) => void;
  /** A connection of its own for a subscription, not opened yet; undefined while no server is known. */
  readonly newConnection: () => Redis | undefined;
  readonly close: () => void;
};

export type Answer = (status: number, json: string) => void;

/** A caller waits less than a second for a server that does not answer, with room for the way back. */
export const REQUEST_TIMEOUT_MS = 700;

/** How long Redis may owe us an answer before we take the connection for dead and make a new one. */
export const STALL_MS_MAX = 5_000;

/** Requests on their way to Redis. Beyond it the server does not keep up, and more would only wait to time out. */
export const PENDING_MAX = 20_000;

/** In the shape of a Redis error, under a code that Redis never gives: ERR is what a server says that is there. */
export const STORE_ERRORS = {
  unreachable: "UNAVAILABLE the Redis server cannot be reached",
  timeout: "UNAVAILABLE the Redis server did not answer in time; the command may still run",
  lost: "UNAVAILABLE the connection to the Redis server was lost; the command may have run",
  fault: "UNAVAILABLE the bridge failed",
  busy: "UNAVAILABLE too many requests are waiting for the Redis server",
} as const;

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_STEP_MS = 50;
const RECONNECT_MS_MAX = 1_000;

/** RESP2, because its shapes are what the protocol's JSON can say; reconnects for ever, at most a second apart. */
export const CONNECTION_OPTIONS = {
  protocol: 2,
  lazyConnect: true,
  disableClientInfo: true,
  enableOfflineQueue: false,
  connectTimeout: CONNECT_TIMEOUT_MS,
  retryStrategy: (attempt: number) => Math.min(attempt * RECONNECT_STEP_MS, RECONNECT_MS_MAX),
} as const;

export function errorJson(message: string): string {
  return `{"error":${JSON.stringify(message)}}`;
}
