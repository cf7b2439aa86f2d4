import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { LiveServer } from "./live/live-server.ts";

/** The origin on the wire. */
export type HttpServer = { readonly port: number; readonly stop: () => Promise<void> };

/** Longer than any edge keeps an idle connection: the side that reuses it must be the side that closes it. */
const KEEP_ALIVE_MS = 75_000;

type ServerParts = {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Where the process serves no sockets, none. */
  readonly live?: LiveServer | undefined;
  /** Loopback unless told otherwise. */
  readonly host?: string;
  /** 0: any that is free. */
  readonly port: number;
};

export async function startHttpServer({ fetch, live, host = "127.0.0.1", port }: ServerParts): Promise<HttpServer> {
  // Anything but a WebSocket is a request like any other, whatever it would like to become.
  const shouldUpgradeCallback = ({ headers }: IncomingMessage) => live !== undefined && headers.upgrade?.toLowerCase() === "websocket";
  const server = createAdaptorServer({ fetch, serverOptions: { shouldUpgradeCallback } }) as Server;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
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
