import type { Redis } from "ioredis";
import { createRawConnection } from "./raw-connection.ts";
import { createReplySplitter } from "./reply-splitter.ts";

/** Commands that were sent together and the replies they are owed. */
export type Exchange = {
  readonly replyCount: number;
  /** The replies begin at `from` in `bytes`, valid during the call only. */
  readonly onReplies: (bytes: Buffer, from: number) => void;
  readonly onFailure: (failure: LaneFailure) => void;
};

export type LaneFailure = "unreachable" | "timeout" | "lost" | "busy" | "too_large";

/** One shared connection. Every exchange ends exactly once: with its replies or with a failure, within the timeout. */
export type RedisLane = {
  readonly send: (wire: string, exchange: Exchange) => void;
};

type Pending = { readonly exchange: Exchange; readonly deadlineMs: number; isOver: boolean; next: Pending | undefined };

/** A caller waits less than a second for a server that does not answer, including the way back. */
export const REQUEST_TIMEOUT_MS = 700;

/** A connection whose answer is overdue by this much is replaced. */
export const STALL_MS_MAX = 5_000;

/** Pending requests to Redis. Beyond it the server does not keep up, and more would only time out. */
export const PENDING_MAX = 20_000;

const SWEEP_MS = 50;
/** Bytes that Redis has not read from the socket yet. */
const UNSENT_BYTES_MAX = 64 * 1024 * 1024;
/** One answer; LRANGE over a long list must not become a string that ends the process. */
const REPLY_BYTES_MAX = 64 * 1024 * 1024;

export function createRedisLane(redis: Redis, requestTimeoutMs: number): RedisLane {
  /** A list in the order of sending, which is the order of replies: head is next to be answered. */
  let head: Pending | undefined;
  let tail: Pending | undefined;
  /** The first that has not timed out; the replies of all before it are discarded. */
  let oldestWaiting: Pending | undefined;
  let pendingCount = 0;
  let outgoing = "";
  let isSweeping = false;

  const connection = createRawConnection(redis, {
    onReady: () => {
      splitter = newSplitter();
    },
    onBytes: (chunk) => splitter.push(chunk),
    onLost: () => failAll("lost"),
  });
  let splitter = newSplitter();

  function newSplitter() {
    return createReplySplitter({
      nextCount: () => head?.exchange.replyCount ?? 0,
      onReplies: (bytes, from) => {
        const pending = shift();
        if (pending !== undefined && !pending.isOver) pending.exchange.onReplies(bytes, from);
      },
      onTooLarge: () => {
        const pending = shift();
        if (pending !== undefined && !pending.isOver) pending.exchange.onFailure("too_large");
      },
      onBroken: connection.drop,
      replyBytesMax: REPLY_BYTES_MAX,
    });
  }

  function send(wire: string, exchange: Exchange): void {
    const socket = connection.socket();
    if (socket === undefined) exchange.onFailure("unreachable");
    else if (pendingCount >= PENDING_MAX || socket.writableLength > UNSENT_BYTES_MAX) exchange.onFailure("busy");
    else enqueue(wire, exchange);
  }

  function enqueue(wire: string, exchange: Exchange): void {
    append({ exchange, deadlineMs: performance.now() + requestTimeoutMs, isOver: false, next: undefined });
    if (outgoing === "") setImmediate(flush);
    outgoing += wire;
    if (!isSweeping) {
      isSweeping = true;
      setTimeout(sweep, SWEEP_MS);
    }
  }

  /** After the turn's I/O, so that all requests that came in it share one write. */
  function flush(): void {
    const wire = outgoing;
    outgoing = "";
    if (wire !== "") connection.socket()?.write(wire, "latin1");
  }

  /** Deadlines are in the order of the list, so the oldest shows whether there is anything to do. */
  function sweep(): void {
    isSweeping = false;
    const nowMs = performance.now();
    while (oldestWaiting !== undefined && oldestWaiting.deadlineMs <= nowMs) {
      const pending = oldestWaiting;
      oldestWaiting = pending.next;
      pending.isOver = true;
      pending.exchange.onFailure("timeout");
    }
    if (head !== undefined && nowMs - head.deadlineMs > STALL_MS_MAX) connection.drop();
    if (head !== undefined) {
      isSweeping = true;
      setTimeout(sweep, SWEEP_MS);
    }
  }

  function append(pending: Pending): void {
    if (tail === undefined) head = pending;
    else tail.next = pending;
    tail = pending;
    oldestWaiting ??= pending;
    pendingCount++;
  }

  function shift(): Pending | undefined {
    const pending = head;
    if (pending === undefined) return undefined;
    head = pending.next;
    if (head === undefined) tail = undefined;
    if (oldestWaiting === pending) oldestWaiting = pending.next;
    pendingCount--;
    return pending;
  }

  function failAll(failure: LaneFailure): void {
    outgoing = "";
    for (let pending = shift(); pending !== undefined; pending = shift()) {
      if (!pending.isOver) pending.exchange.onFailure(failure);
    }
  }

  return { send };
}
