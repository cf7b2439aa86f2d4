import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type ErrorCode, problemResponse } from "../shared/errors.ts";
import { refuseUpgrade } from "./admission/refuse-upgrade.ts";
import type { ApiListener } from "./api/api-listener.ts";
import { hasBody } from "./api/read-incoming-body.ts";
import { letGo, writeAnswer } from "./api/write-answer.ts";
import type { LiveServer } from "./live/live-server.ts";

/**
 * The origin on the wire. Operations of the API go the short way (`api/api-listener.ts`), every other request through Hono. A request must
 * be here as a whole within a bound, body and all; one that is not is answered with 408 and its connection ends.
 */
export type HttpServer = { readonly port: number; readonly stop: () => Promise<void> };

/** Longer than any edge keeps an idle connection: the side that reuses it must be the side that closes it. */
const KEEP_ALIVE_MS = 75_000;
/** The largest body the API takes has some 100 kB; an edge sends it on as it comes, at the pace of its client. */
const REQUEST_MS_MAX = 20_000;
const HEAD_MS_MAX = 10_000;
const CHECKS_PER_LIMIT = 10;

type ServerParts = {
  readonly app: { readonly fetch: (request: Request) => Response | Promise<Response>; readonly api?: ApiListener };
  /** Where the process serves no sockets, none. */
  readonly live?: LiveServer | undefined;
  /** Loopback unless told otherwise. */
  readonly host?: string;
  /** 0: any that is free. */
  readonly port: number;
  /** How long a whole request may take to arrive. */
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
    // A header that must come once is no header of ours when it comes twice: both are seen, joined by a comma.
    joinDuplicateHeaders: true,
    // Anything but a WebSocket is a request like any other, whatever it would like to become.
    shouldUpgradeCallback: ({ headers }) => live !== undefined && headers.upgrade?.toLowerCase() === "websocket",
  });
  const latest = new WeakMap<Socket, ServerResponse>();

  /** None of these takes a body: it is dropped first, so that the connection can be used again. */
  async function answerOther(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (hasBody(incoming) && !(await letGo(incoming))) await writeAnswer({ incoming, outgoing }, problemResponse("body_too_large"));
    else await throughHono(incoming, outgoing);
  }

  server.on("request", (incoming, outgoing) => {
    latest.set(incoming.socket, outgoing);
    if (app.api?.(incoming, outgoing) !== true) void answerOther(incoming, outgoing);
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
