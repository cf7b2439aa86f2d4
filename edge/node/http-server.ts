import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { ExecutionContext } from "hono";
import { assert } from "../../shared/assert.ts";
import type { EdgeBindings } from "../request/env.ts";
import { log } from "../request/log.ts";
import { answerBrokenRequest, refuseSocket, watchBody } from "./broken-request.ts";
import { OriginResponse, SwitchedResponse } from "./forward.ts";
import { NodeRequest } from "./node-request.ts";
import { type PlainHeaders, type PlainResponse, usePlainResponses } from "./plain-response.ts";

export type HttpServer = {
  readonly port: number;
  /** Takes no more requests, lets those under way finish for a moment, and closes. */
  readonly stop: () => Promise<void>;
};

export type EdgeApp = {
  readonly fetch: (request: Request, bindings: EdgeBindings, context: ExecutionContext) => Response | Promise<Response>;
};

/** A Node process lives longer than its requests: work after a response needs no help, only a reader of its failure. */
const CONTEXT = { waitUntil: (work: Promise<unknown>) => void work.catch(logLate) } as ExecutionContext;

export function logLate(error: unknown): void {
  log("error", "work after a response failed", { error });
}

type HttpServerOptions = {
  /** Loopback unless told otherwise. */
  readonly host?: string;
  readonly port: number;
  readonly app: EdgeApp;
  readonly bindings: EdgeBindings;
  /** How long a client may take to say what it wants. */
  readonly headMsMax?: number;
  /** How long it may take for each kilobyte of a body. */
  readonly bodyMsMax?: number;
};

/** Path, query and headers together; a target of 8 KiB and the cookies of a busy site fit twice. */
const HEAD_BYTES_MAX = 32 * 1024;
/** No real client needs longer to send its request. `watchBody` sets how fast a body must come. */
const HEAD_MS_MAX = 15_000;
const HEAD_CHECKS_PER_LIMIT = 8;
const BODY_MS_MAX = 15_000;
/** Longer than load balancers keep an idle connection: the side that uses it again must be the side that closes it. */
const IDLE_MS_MAX = 75_000;
const SOCKETS_MAX = 20_000;
const DRAIN_MS_MAX = 500;

/** The app behind node:http. Its responses are plain ones, in the whole process. A request that can be read in several ways is refused here or in the app. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host = "127.0.0.1", port, app, bindings, headMsMax = HEAD_MS_MAX, bodyMsMax = BODY_MS_MAX } = options;
  usePlainResponses();
  const server = createServer({
    maxHeaderSize: HEAD_BYTES_MAX,
    headersTimeout: headMsMax,
    requestTimeout: 0,
    connectionsCheckingInterval: headMsMax / HEAD_CHECKS_PER_LIMIT,
    keepAliveTimeout: IDLE_MS_MAX,
    // The app refuses a request without a Host, and says so in its own words.
    requireHostHeader: false,
    shouldUpgradeCallback: isHandshake,
  });
  server.maxConnections = SOCKETS_MAX;
  const latest = new WeakMap<Duplex, NodeRequest>();
  const tunnels = new Set<Duplex>();

  async function answer(request: NodeRequest): Promise<void> {
    latest.set(request.incoming.socket, request);
    if (request.hasBody) watchBody(request, bodyMsMax);
    if (!(await hasTurn(request))) return;
    try {
      const response = await app.fetch(request.asRequest(), bindings, CONTEXT);
      // A server that is to stop keeps no connection.
      if (!server.listening) request.outgoing.shouldKeepAlive = false;
      if (isSwitched(response)) openTunnel(request, response);
      else await writeResponse(request, response);
    } catch (error) {
      log("error", "cannot write a response", { error });
      request.outgoing.destroy();
    }
  }

  function openTunnel(request: NodeRequest, response: SwitchedResponse): void {
    const { incoming, outgoing, socketHead } = request;
    const { socket } = incoming;
    assert(socketHead !== undefined, "only a handshake is answered with a socket");
    outgoing.detachSocket(socket);
    if (!socket.writable) {
      response.webSocket.abandon();
      return;
    }
    tunnels.add(socket);
    socket.once("close", () => tunnels.delete(socket));
    socket.write(switchingHead(response.headers));
    response.webSocket.open(socket, socketHead);
  }

  server.on("request", (incoming, outgoing) => void answer(new NodeRequest({ incoming, outgoing })));
  server.on(
    "checkContinue",
    (incoming, outgoing) => void answer(new NodeRequest({ incoming, outgoing, expectsContinue: true })),
  );
  // A WebSocket handshake must wait for no earlier response: with one in flight it is refused.
  const isBusy = (socket: Duplex) => latest.get(socket)?.outgoing.writableFinished === false;
  server.on(
    "upgrade",
    (incoming, socket, head) => void (isBusy(socket) ? socket.destroy() : answer(handshakeRequest(incoming, head))),
  );
  server.on(
    "connect",
    (_incoming, socket) => void (isBusy(socket) ? socket.destroy() : refuseSocket(socket, "method_not_allowed")),
  );
  server.on("clientError", (error, socket) => answerBrokenRequest(error, { socket, latest: latest.get(socket) }));
  server.listen(port, host);
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, stop: () => drain(server, tunnels) };
}

/**
 * A client may send the next request before it has the last answer. One after the other is served, so that many in one
 * packet cost the origin no more than they would apart. False when the client is gone before its turn.
 */
async function hasTurn({ incoming: { socket }, outgoing }: NodeRequest): Promise<boolean> {
  if (outgoing.socket !== null) return true;
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(outgoing, "socket", { signal }), once(socket, "close", { signal })]).finally(() =>
    over.abort(),
  );
  return outgoing.socket !== null;
}

/** Any other upgrade is a plain request: its Upgrade is dropped on the way. One with a body would have two readings. */
function isHandshake({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  return method === "GET" && !hasBody && headers.upgrade?.toLowerCase() === "websocket";
}

/**
 * Node leaves the socket of a handshake to us. Until the origin has accepted, it is answered like every other request.
 */
function handshakeRequest(incoming: IncomingMessage, socketHead: Buffer): NodeRequest {
  const { socket } = incoming;
  socket.on("error", ignore);
  const outgoing = new ServerResponse(incoming);
  outgoing.assignSocket(socket);
  outgoing.shouldKeepAlive = false;
  outgoing.once("finish", () => socket.end());
  return new NodeRequest({ incoming, outgoing, socketHead });
}

function isSwitched(response: unknown): response is SwitchedResponse {
  return response instanceof SwitchedResponse;
}

function switchingHead(headers: PlainHeaders): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  return ["HTTP/1.1 101 Switching Protocols", "connection: Upgrade", "upgrade: websocket", ...lines, "", ""].join(
    "\r\n",
  );
}

async function drain(server: Server, tunnels: ReadonlySet<Duplex>): Promise<void> {
  const closed = once(server, "close");
  server.close();
  for (const socket of tunnels) socket.destroy();
  await Promise.race([closed, sleep(DRAIN_MS_MAX, undefined, { ref: false })]);
  server.closeAllConnections();
  await closed;
}

/** How long a client that keeps sending after its response is read: cut off at once, it might lose the response. */
const LAST_BYTES_MS_MAX = 2_000;

/**
 * Writes the app's answer to the socket. An answer that breaks off on our side or the origin's breaks off at the client
 * too.
 */
function writeResponse({ incoming, outgoing }: NodeRequest, answer: Response): Promise<void> | undefined {
  const response = answer as unknown as PlainResponse;
  if (outgoing.destroyed || !outgoing.socket?.writable) {
    if (response instanceof OriginResponse) response.stream.destroy();
    return undefined;
  }
  if (!incoming.complete) outgoing.once("finish", () => letGo(incoming));
  // HTTP/1.1 keeps connections anyway; to say so is for those who speak 1.0.
  if (outgoing.shouldKeepAlive && incoming.httpVersionMinor === 1) outgoing.removeHeader("connection");
  if (response instanceof OriginResponse) return writeOrigin(outgoing, response);
  const { wholeText } = response;
  const isHead = incoming.method === "HEAD";
  if (wholeText !== undefined && !isHead) {
    const bytes = Buffer.byteLength(wholeText);
    writeHead(outgoing, response, bytes);
    // Text of ASCII alone leaves without being encoded.
    outgoing.end(wholeText, bytes === wholeText.length ? "latin1" : "utf8");
    return undefined;
  }
  const body = isHead ? null : response.body;
  if (body !== null) return writeStream(outgoing, response, body);
  writeHead(outgoing, response);
  outgoing.end();
  return undefined;
}

function writeHead(outgoing: ServerResponse, { status, statusText, headers }: PlainResponse, length?: number): void {
  const lines = headers.toRaw();
  if (length !== undefined && !headers.has("content-length")) lines.push("content-length", String(length));
  if (statusText === "") outgoing.writeHead(status, lines);
  else outgoing.writeHead(status, statusText, lines);
}

function writeOrigin(outgoing: ServerResponse, response: OriginResponse): undefined {
  const { stream } = response;
  if (stream.errored || (stream.destroyed && !stream.complete)) {
    outgoing.destroy();
    return;
  }
  writeHead(outgoing, response);
  // Most answers have come in one piece with their head, and leave in one.
  if (stream.complete) {
    outgoing.end(stream.read());
    return;
  }
  if (stream.readableLength === 0) outgoing.flushHeaders();
  stream.on("error", () => outgoing.destroy());
  stream.pipe(outgoing);
}

/** Our own bodies nearly always have one piece, and then a length. A longer stream is sent piece by piece. */
async function writeStream(
  outgoing: ServerResponse,
  response: PlainResponse,
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  const reader = body.getReader();
  outgoing.once("close", () => void reader.cancel().catch(ignore));
  const first = await reader.read();
  if (first.done) {
    writeHead(outgoing, response, 0);
    outgoing.end();
    return;
  }
  const following = reader.read();
  const second = await Promise.race([following, nextTurn()]);
  if (second?.done) {
    writeHead(outgoing, response, first.value.length);
    outgoing.end(first.value);
    return;
  }
  writeHead(outgoing, response);
  await writePiece(outgoing, first.value);
  for (let next = await following; !next.done; next = await reader.read()) await writePiece(outgoing, next.value);
  outgoing.end();
}

/** Settles when there is room for more, or the reader is gone. */
function writePiece(outgoing: ServerResponse, piece: Uint8Array): Promise<void> | undefined {
  if (outgoing.write(piece) || outgoing.destroyed) return undefined;
  return new Promise((resolve) => {
    outgoing.once("drain", resolve);
    outgoing.once("close", resolve);
  });
}

function letGo(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  incoming.resume();
  const timer = setTimeout(() => incoming.socket.destroy(), LAST_BYTES_MS_MAX);
  incoming.once("close", () => clearTimeout(timer));
}

const ignore = () => undefined;
