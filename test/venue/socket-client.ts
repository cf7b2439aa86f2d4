import { once } from "node:events";
import { type ClientOptions, WebSocket } from "ws";
import { PASS_HEADER } from "../../shared/tokens/admission.ts";
import type { TestVenue } from "./venue.ts";

/** A client of `GET /api/v1/ws` that keeps its messages. */
export type SocketClient = {
  readonly socket: WebSocket;
  readonly say: (message: unknown) => void;
  /** The next message that has not been read. */
  readonly next: () => Promise<Readonly<Record<string, unknown>>>;
  /** Code and reason of the close. */
  readonly closed: Promise<readonly [number, string]>;
};

type ConnectOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
};

export function createConnector(venue: TestVenue, port: () => number) {
  return async ({ headers = {}, path = "/api/v1/ws" }: ConnectOptions = {}): Promise<SocketClient> => {
    const given = {
      [PASS_HEADER]: await venue.pass(),
      "x-forwarded-host": "venue.test",
      "x-forwarded-for": "192.0.2.1",
      ...headers,
    };
    return openSocket(`ws://127.0.0.1:${port()}${path}`, { headers: given });
  };
}

export async function openSocket(url: string, options: ClientOptions): Promise<SocketClient> {
  const socket = new WebSocket(url, { perMessageDeflate: false, ...options });
  const told: Readonly<Record<string, unknown>>[] = [];
  const waiting: ((message: Readonly<Record<string, unknown>>) => void)[] = [];
  socket.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Readonly<Record<string, unknown>>;
    // They come when they come.
    if (message["type"] === "heartbeat" || message["type"] === "reconnect") return;
    const reader = waiting.shift();
    if (reader === undefined) told.push(message);
    else reader(message);
  });
  const closed = new Promise<readonly [number, string]>((resolve) => {
    socket.on("close", (code, reason) => resolve([code, String(reason)]));
  });
  await once(socket, "open");
  // The close event reports a server that disconnects.
  socket.on("error", () => {});
  return {
    socket,
    say: (message) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    next: () => {
      const message = told.shift();
      return message === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(message);
    },
    closed,
  };
}
