import type { Redis } from "ioredis";
import type { Command } from "../../stack/program/resp/encode-commands.ts";

/** The commands of one HTTP request. */
export type Work = {
  readonly kind: "command" | "pipeline" | "transaction";
  readonly commands: readonly Command[];
  /** Whether every argument is ASCII, so that its length in characters is its length in bytes. */
  readonly isAscii: boolean;
  /** In a pipeline, why a member is refused; its place in the answer has the error, and the others run. */
  readonly refusals: ReadonlyMap<number, string>;
  /** Whether strings in the answer are base64, as `Upstash-Encoding: base64` asks. */
  readonly isBase64: boolean;
};

/** Where commands go. One implementation for a single server, one for a cluster. */
export type Store = {
  /** Calls `answer` exactly once, within the request timeout, whatever the server does. */
  readonly execute: (work: Work, answer: Answer) => void;
  /** Whether every server that is needed answers a PING in time. */
  readonly checkHealth: (onHealth: (isHealthy: boolean) => void) => void;
  /** A connection of its own for a subscription, not opened yet; undefined while no server is known. */
  readonly newConnection: () => Redis | undefined;
  readonly close: () => void;
};

export type Answer = (status: number, json: string) => void;

/** Redis errors with a code that Redis itself never uses, to distinguish them from a server's ERR. */
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
