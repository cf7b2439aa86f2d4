import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";

/** One request as the origin got it, before any library has made it nicer. */
export type RecordedRequest = {
  readonly method: string;
  readonly url: string;
  /** Lower-case name to every value that came under it, in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
};

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export type RecordingOrigin = {
  readonly port: number;
  readonly address: string;
  /** Requests with their whole body, oldest first. */
  readonly requests: RecordedRequest[];
  /** How the next requests are answered; by default with `echo`. */
  readonly answerWith: (handler: Handler) => void;
  /** Records the request and answers with it as JSON. */
  readonly echo: Handler;
  readonly upgradeWith: (handler: UpgradeHandler) => void;
  readonly reset: () => void;
  /** Listens again, after `stop`, where it did before. */
  readonly start: (port: number) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** A plain `node:http` server that keeps exactly what it was sent. */
export async function startRecordingOrigin(): Promise<RecordingOrigin> {
  const requests: RecordedRequest[] = [];
  const sockets = new Set<Socket>();
  const echo: Handler = (request, response) => void recordThenEcho(request, response, requests);
  let handler = echo;
  const server = createServer((request, response) => handler(request, response));
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const start = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  await start(0);
  const { port } = server.address() as AddressInfo;

  const reset = () => {
    requests.length = 0;
    handler = echo;
    server.removeAllListeners("upgrade");
  };
  const stop = async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, "close");
  };
  const answerWith = (next: Handler) => {
    handler = next;
  };
  const upgradeWith = (next: UpgradeHandler) => void server.on("upgrade", next);
  return { port, address: `127.0.0.1:${port}`, requests, answerWith, echo, upgradeWith, reset, start, stop };
}

async function recordThenEcho(
  request: IncomingMessage,
  response: ServerResponse,
  requests: RecordedRequest[],
): Promise<void> {
  const body = await buffer(request).catch(() => undefined);
  // A request that breaks off was never made.
  if (body === undefined) return;
  const recorded = recordedRequest(request, body);
  requests.push(recorded);
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ method: recorded.method, url: recorded.url, bytes: recorded.body.length }));
}

function recordedRequest(request: IncomingMessage, body: Buffer): RecordedRequest {
  const headers = new Map<string, string[]>();
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = (request.rawHeaders[i] ?? "").toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), request.rawHeaders[i + 1] ?? ""]);
  }
  return { method: request.method ?? "", url: request.url ?? "", headers, body };
}
