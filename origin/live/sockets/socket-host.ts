import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocketServer } from "ws";
import { type ErrorCode, problemResponse } from "../../../shared/http/errors.ts";
import { createLimit } from "../../../shared/http/limit.ts";
import { type FillRandom, newId } from "../../../shared/ids.ts";
import { refuseUpgrade } from "../../accounts/admission/admit-upgrade.ts";
import { PROCESS_LIMITS } from "../../accounts/limits/limit-table.ts";
import { textFrame } from "../fan-out/frames.ts";
import type { Hub } from "../fan-out/hub.ts";
import { type ConnectionFacts, type ConnectionParts, type LiveConnection, openConnection } from "./live-connection.ts";
import type { LiveIdentity } from "./live-identity.ts";
import { openStream, type StreamConnection, type StreamRequest, type StreamResponse } from "./stream-connection.ts";

/**
 * Where sockets live: in the api process, or in a process of its own beside an engine. A handshake was judged before it
 * comes here; the limits on sockets are counted here.
 */
export type SocketHost = {
  readonly accept: (handshake: Handshake, socket: Duplex, head: Buffer) => void;
  readonly acceptStream: (request: StreamRequest, response: StreamResponse) => void;
  readonly connections: () => readonly (ConnectionFacts & { readonly id: string })[];
  /** Tells clients to reconnect, spread over some seconds, and closes. */
  readonly stop: () => Promise<void>;
};

/** Plain data: it crosses processes. */
export type Handshake = {
  /** The headers of the WebSocket protocol. */
  readonly headers: Readonly<Record<string, string>>;
  readonly address: string;
  /** Undefined for a client that has not signed in, or will with a message. */
  readonly identity: LiveIdentity | undefined;
};

type HostParts = Omit<ConnectionParts, "limit"> & {
  readonly hub: Hub;
  readonly random: FillRandom;
  /** From one address, in one process: an office or a mobile network shares one. */
  readonly socketsPerAddress: number;
};

/** A token has at most 2 KiB; a subscription with positions of 200 channels has some 12 KiB. */
const MESSAGE_BYTES_MAX = 16 * 1024;
/** Some 20 kB each in this process and at the edge. */
const SOCKETS_MAX = 10_000;
const SOCKETS_PER_USER_MAX = 20;
const LOOK_EVERY_MS = 1_000;
const LAST_WORDS_MS = 200;
/** Clients of a process that stops come back within this time, not all at once. */
const RECONNECT_MS_MAX = 5_000;
const RETRY_AFTER_SECONDS = 2;
/** RFC 6455, 5.5.2: a ping without data. */
const PING_FRAME = Buffer.from([0x89, 0]);

export function createSocketHost(parts: HostParts): SocketHost {
  const { hub, random, clock, maintenance, socketsPerAddress, log } = parts;
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MESSAGE_BYTES_MAX,
    // One compressed message costs ten times the CPU of a plain one, and each socket some 200 kB.
    perMessageDeflate: false,
    // Each pong counts against the limit before it is sent.
    autoPong: false,
  });
  const limit = createLimit({ name: "live", ...PROCESS_LIMITS.live, clock });
  const connections = new Map<LiveConnection, Duplex>();
  const streams = new Set<StreamConnection>();
  const perUser = createCounts(SOCKETS_PER_USER_MAX);
  const perAddress = createCounts(socketsPerAddress);

  function refusalOf(address: string): ErrorCode | undefined {
    if (connections.size + streams.size >= SOCKETS_MAX) return "venue_busy";
    return perAddress.take(address) ? undefined : "socket_limit_reached";
  }

  function accept({ headers, address, identity }: Handshake, socket: Duplex, head: Buffer): void {
    // Until the upgrade is done there is no other listener, and a client that leaves must not end the process.
    socket.on("error", ignore);
    const refusal = refusalOf(address);
    if (refusal !== undefined) {
      void refuseUpgrade(socket, problemResponse(refusal, { retryAfterSeconds: RETRY_AFTER_SECONDS }));
      return;
    }
    const giveBack = () => perAddress.giveBack(address);
    socket.once("close", giveBack);
    const request = { method: "GET", headers, url: "/" } as unknown as IncomingMessage;
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      socket.off("error", ignore);
      const connection: LiveConnection = openConnection({
        ...parts,
        ...{ id: newId(random), address, webSocket, socket, limit, mayOpen: perUser.take },
        onClosed(userId) {
          connections.delete(connection);
          if (userId !== undefined) perUser.giveBack(userId);
        },
      });
      connections.set(connection, socket);
      if (identity !== undefined) connection.signIn(identity);
    });
  }

  async function acceptStream(request: StreamRequest, response: StreamResponse): Promise<void> {
    const refusal = maintenance() === undefined ? refusalOf(request.address) : "venue_maintenance";
    if (refusal !== undefined) {
      response.refuse(problemResponse(refusal, { retryAfterSeconds: RETRY_AFTER_SECONDS }));
      return;
    }
    let stream: StreamConnection | undefined;
    let isOver = false;
    response.onClose(() => {
      isOver = true;
      perAddress.giveBack(request.address);
      if (stream !== undefined) streams.delete(stream);
    });
    stream = await openStream({ hub, request, response, clock });
    if (!isOver) streams.add(stream);
  }

  /** The same bytes for all sockets of a round. */
  function createHeartbeat(): () => Buffer {
    let bytes: Buffer | undefined;
    return () => {
      const { epoch = "", seq = 0 } = hub.position() ?? {};
      const message = { type: "heartbeat", epoch, seq, serverTime: clock.nowMs() };
      bytes ??= Buffer.concat([PING_FRAME, textFrame(JSON.stringify(message))]);
      return bytes;
    };
  }

  const timer = setInterval(() => {
    const heartbeat = createHeartbeat();
    for (const connection of connections.keys()) connection.look(heartbeat);
    for (const stream of streams) stream.look();
  }, LOOK_EVERY_MS);
  timer.unref();

  return {
    accept,
    acceptStream: (request, response) => {
      acceptStream(request, response).catch((error: unknown) => {
        log.error({ err: error }, "an event stream failed");
        response.destroy();
      });
    },
    connections: () => [...connections.keys()].map((connection) => ({ id: connection.id, ...connection.facts() })),
    async stop() {
      clearInterval(timer);
      const spread = new Uint16Array(random(new Uint8Array(2 * Math.max(1, connections.size))).buffer);
      for (const [index, connection] of [...connections.keys()].entries())
        connection.sendAway(Math.floor(((spread[index] ?? 0) / 2 ** 16) * RECONNECT_MS_MAX));
      for (const stream of streams) stream.close();
      if (connections.size > 0) await sleep(LAST_WORDS_MS);
      for (const socket of connections.values()) socket.destroy();
    },
  };
}

const ignore = () => {};

/** How many a user or an address has, up to a bound. */
function createCounts(max: number) {
  const counts = new Map<string, number>();
  return {
    take(key: string): boolean {
      const count = counts.get(key) ?? 0;
      if (count >= max) return false;
      counts.set(key, count + 1);
      return true;
    },
    giveBack(key: string): void {
      const left = (counts.get(key) ?? 0) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    },
  };
}
