import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type ErrorCode, problemResponse } from "../shared/http/errors.ts";
import { refuseUpgrade } from "./accounts/admission/admit-upgrade.ts";
import type { ApiListener } from "./api/api-listener.ts";
import { hasBody, letGo, writeAnswer } from "./api/http-exchange.ts";
import type { LiveServer } from "./live/live-server.ts";

/**
 * The origin's HTTP server. Operations of the API take the short path (`api/api-listener.ts`), all other requests go
 * through Hono. A request must arrive completely within a bound, body included; otherwise it is answered with 408 and
 * its connection is closed.
 */
export type HttpServer = { readonly port: number; readonly stop: () => Promise<void> };

/** Longer than any edge keeps an idle connection: the side that reuses a connection must be the side that closes it. */
const KEEP_ALIVE_MS = 75_000;
/** The largest body of the API has some 100 kB; an edge forwards it at the pace of its client. */
const REQUEST_MS_MAX = 20_000;
const HEAD_MS_MAX = 10_000;
const CHECKS_PER_LIMIT = 10;

type ServerParts = {
  readonly app: { readonly fetch: (request: Request) => Response | Promise<Response>; readonly api?: ApiListener };
  /** Undefined where the process serves no sockets. */
  readonly live?: LiveServer | undefined;
  /** Loopback by default. */
  readonly host?: string;
  /** 0 for any free port. */
  readonly port: number;
  /** How long a complete request may take to arrive. */
  readonly requestMsMax?: number;
};

export async function startHttpServer(parts: ServerParts): Promise<HttpServer> {
  const { app, live, host = "127.0.0.1", port, requestMsMax = REQUEST_MS_MAX } = parts;
  const throughHono = getRequestListener(app.fetch, { autoCleanupIncoming: false });
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: requestMsMax,
    headersTimeout: Math.min(HEAD_MS_MAX, requestMsMax),
    connectionsCheckingInterval: requestMsMax / CHECKS_PER_LIMIT,
    // A repeated header is joined by a comma, so that a header that must be unique is then invalid.
    joinDuplicateHeaders: true,
    // An upgrade to anything but a WebSocket is handled as a normal request.
    shouldUpgradeCallback: ({ headers }) => live !== undefined && headers.upgrade?.toLowerCase() === "websocket",
  });
  const latest = new WeakMap<Socket, ServerResponse>();

  /** None of these routes takes a body: it is dropped first, so that the connection can be used again. */
  async function answerOther(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (hasBody(incoming) && !(await letGo(incoming)))
      await writeAnswer({ incoming, outgoing }, problemResponse("body_too_large"));
    else await throughHono(incoming, outgoing);
  }

  server.on("request", (incoming, outgoing) => {
    latest.set(incoming.socket, outgoing);
    const isServed = live?.stream(incoming, outgoing) === true || app.api?.(incoming, outgoing) === true;
    if (!isServed) void answerOther(incoming, outgoing);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const pending = latest.get(socket);
    const isAnswered = pending?.headersSent === true && !pending.writableFinished;
    if (!socket.writable || isAnswered || error.code === "ECONNRESET") socket.destroy();
    else void refuseUpgrade(socket, problemResponse(codeOf(error)));
  });
  if (live !== undefined) server.on("upgrade", live.upgrade);
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await live?.stop();
      await closed;
    },
  };
}

function codeOf({ code }: NodeJS.ErrnoException): ErrorCode {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request_timeout";
  return code === "HPE_HEADER_OVERFLOW" ? "headers_too_large" : "request_ambiguous";
}
