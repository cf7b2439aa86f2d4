import type { Socket } from "node:net";
import type { Redis } from "ioredis";

type RawConnectionHandlers = {
  readonly onReady: () => void;
  readonly onBytes: (chunk: Buffer) => void;
  readonly onLost: () => void;
};

export type RawConnection = {
  /** Undefined while the connection is down. */
  readonly socket: () => Socket | undefined;
  /** Gives the connection up; ioredis then makes a new one. */
  readonly drop: () => void;
};

/** A connection that is not ready after this time is dropped: a stopped server accepts connections, too. */
const READY_WITHIN_MS = 3_000;

/**
 * ioredis connects (addresses, TLS, AUTH, SELECT, the loading check, reconnecting); once the socket is ready, its bytes
 * come here. A command through ioredis costs a command object, a promise and a queue entry; a bridge that only carries
 * bytes from one protocol to another needs none of them. Nothing else may send commands through the same ioredis
 * object.
 */
export function createRawConnection(redis: Redis, handlers: RawConnectionHandlers): RawConnection {
  let current: Socket | undefined;
  let greeting: NodeJS.Timeout | undefined;

  redis.on("connect", () => {
    greeting = setTimeout(() => redis.disconnect(true), READY_WITHIN_MS);
  });

  redis.on("ready", () => {
    clearTimeout(greeting);
    const socket = redis.stream;
    if (socket.destroyed) return;
    current = socket;
    socket.removeAllListeners("data");
    socket.on("data", handlers.onBytes);
    handlers.onReady();
  });

  redis.on("close", () => {
    clearTimeout(greeting);
    if (current === undefined) return;
    current = undefined;
    handlers.onLost();
  });

  return { socket: () => current, drop: () => current?.destroy() };
}
