import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { createRequestQueue } from "./request-queue.ts";
import { createResponseReader, type RawAnswer } from "./response-reader.ts";

/**
 * A few keep-alive connections to one server, for more callers than there are connections. It speaks HTTP on raw
 * sockets, because the load shares its machine with the target. A request that finds no free connection waits in a
 * queue, and the pool reports how many do: a caller that measures from when its request was due still sees the whole
 * latency.
 */
export type HttpPool = {
  readonly send: (request: PoolRequest) => void;
  readonly pressure: () => PoolPressure;
  /** Requests without an answer end with none. */
  readonly close: () => void;
};

export type PoolRequest = {
  /**
   * The whole request as it goes over the wire. A function is called when the request is written: a signature has a
   * date.
   */
  readonly text: string | Buffer | (() => string);
  /**
   * Undefined when no answer came: connection refused, broken, or silent for too long. `sentAtMs` (performance.now())
   * is when the request was written to its connection.
   */
  readonly onAnswer: (answer: RawAnswer | undefined, sentAtMs: number) => void;
  /** How long the request may wait for a connection; without it, as long as the run lasts. */
  readonly patience?: { readonly waitMsMax: number; readonly onNotSent: () => void };
};

export type PoolPressure = {
  readonly sockets: number;
  readonly underway: number;
  readonly waiting: number;
  readonly waitingMost: number;
  /** Sent again because the server closed an idle connection while the request was on its way. */
  readonly resent: number;
};

type PoolOptions = {
  readonly url: string;
  readonly socketsMax: number;
};

type Connection = {
  readonly socket: Socket;
  request: PoolRequest | undefined;
  sentAtMs: number;
  answers: number;
  bytesOfAnswer: number;
  isResend: boolean;
};

/** The gate answers within a second and gives its origin thirty; a load that waited as long would only pile up. */
const ANSWER_MS_MAX = 10_000;
const ANSWER_BYTES_MAX = 8_000_000;
const SWEEP_EVERY_MS = 500;

export function createHttpPool({ url, socketsMax }: PoolOptions): HttpPool {
  const connectTo = connectorOf(new URL(url));
  const connections = new Set<Connection>();
  const idle: Connection[] = [];
  const waiting = createRequestQueue(() => performance.now());
  let resent = 0;
  let isClosed = false;

  const sweep = setInterval(() => {
    const beforeMs = performance.now() - ANSWER_MS_MAX;
    for (const connection of connections)
      if (connection.request !== undefined && connection.sentAtMs < beforeMs) giveUp(connection);
    waiting.dropExpired();
  }, SWEEP_EVERY_MS).unref();

  function send(request: PoolRequest) {
    if (isClosed) return request.onAnswer(undefined, performance.now());
    const connection = idle.pop();
    if (connection !== undefined) return write(connection, request);
    if (connections.size < socketsMax) return open(request, false);
    if (!waiting.push(request)) request.onAnswer(undefined, performance.now());
  }

  function write(connection: Connection, request: PoolRequest): void {
    connection.request = request;
    connection.sentAtMs = performance.now();
    connection.bytesOfAnswer = 0;
    connection.socket.write(textOf(request));
  }

  function open(request: PoolRequest, isResend: boolean): void {
    const { socket, readyEvent } = connectTo();
    const connection: Connection = {
      socket,
      request,
      sentAtMs: performance.now(),
      answers: 0,
      bytesOfAnswer: 0,
      isResend,
    };
    connections.add(connection);
    const read = createResponseReader((answer) => answered(connection, answer));
    socket.once(readyEvent, () => {
      connection.sentAtMs = performance.now();
      socket.write(textOf(request));
    });
    socket.on("data", (bytes) => {
      connection.bytesOfAnswer += bytes.length;
      if (connection.bytesOfAnswer > ANSWER_BYTES_MAX || !read(bytes)) socket.destroy();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => closed(connection));
  }

  function answered(connection: Connection, answer: RawAnswer): void {
    const { request, sentAtMs } = connection;
    connection.request = undefined;
    connection.answers++;
    connection.isResend = false;
    const next = waiting.shift();
    if (next !== undefined) write(connection, next);
    else if (!connection.socket.destroyed) idle.push(connection);
    request?.onAnswer(answer, sentAtMs);
  }

  function giveUp(connection: Connection): void {
    const { request } = connection;
    connection.request = undefined;
    connection.socket.destroy();
    request?.onAnswer(undefined, connection.sentAtMs);
  }

  function closed(connection: Connection) {
    connections.delete(connection);
    const at = idle.indexOf(connection);
    if (at !== -1) idle.splice(at, 1);
    const { request } = connection;
    connection.request = undefined;
    if (request !== undefined) {
      // Any HTTP client does this once: the server may close an idle connection at the moment it is used again.
      const wasIdleClosed =
        connection.answers > 0 && connection.bytesOfAnswer === 0 && !connection.isResend && !isClosed;
      if (wasIdleClosed) {
        resent++;
        return open(request, true);
      }
      request.onAnswer(undefined, connection.sentAtMs);
    }
    const next = isClosed ? undefined : waiting.shift();
    if (next !== undefined) open(next, false);
  }

  return {
    send,
    pressure: () => ({
      sockets: connections.size,
      underway: connections.size - idle.length,
      waiting: waiting.size(),
      waitingMost: waiting.most(),
      resent,
    }),
    close() {
      isClosed = true;
      clearInterval(sweep);
      for (const connection of [...connections]) giveUp(connection);
      for (let request = waiting.shift(); request !== undefined; request = waiting.shift())
        request.onAnswer(undefined, performance.now());
    },
  };
}

const textOf = ({ text }: PoolRequest) => (typeof text === "function" ? text() : text);

type Opened = { readonly socket: Socket; readonly readyEvent: "connect" | "secureConnect" };

function connectorOf({ protocol, hostname, port }: URL): () => Opened {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol === "https:") {
    const address = { host, port: Number(port === "" ? 443 : port), servername: host, ALPNProtocols: ["http/1.1"] };
    return () => ({ socket: connectTls(address).setNoDelay(true), readyEvent: "secureConnect" });
  }
  const address = { host, port: Number(port === "" ? 80 : port), noDelay: true };
  return () => ({ socket: connect(address), readyEvent: "connect" });
}
