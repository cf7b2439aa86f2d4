import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "../../shared/assert.ts";
import { log } from "../request/log.ts";
import { answerBrokenRequest, refuseSocket, watchBody } from "./broken-request.ts";
import { SwitchedResponse } from "./forward.ts";
import { NodeRequest } from "./node-request.ts";
import type { PlainHeaders } from "./plain-response.ts";
import { writeResponse } from "./write-response.ts";

export type HttpServer = {
  readonly port: number;
  /** Takes no more requests, lets those under way finish for a moment, and closes. */
  readonly stop: () => Promise<void>;
};

type HttpServerOptions = {
  /** Loopback unless told otherwise. */
  readonly host?: string;
  readonly port: number;
  readonly fetch: (request: Request) => Response | Promise<Response>;
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

/** The app behind node:http. A request that can be read in several ways is refused here or in the app. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host = "127.0.0.1", port, fetch, headMsMax = HEAD_MS_MAX, bodyMsMax = BODY_MS_MAX } = options;
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
      const response = await fetch(request.asRequest());
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

const ignore = () => undefined;
