import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { WebSocket } from "ws";
import { unreachable } from "../../../shared/assert.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { Limit } from "../../../shared/http/limit.ts";
import type { ClientMessage, ControlMessage, MessageId } from "../../../shared/live/messages.ts";
import { isStoreUnavailable } from "../../redis/store-unavailable.ts";
import type { Hub } from "../fan-out/hub.ts";
import type { Credentials, Hold, LiveIdentity, SignIn } from "./live-identity.ts";
import { CLOSINGS, type Closing, readMessage } from "./messages.ts";
import { createSubscriptions } from "./subscriptions.ts";

/**
 * One socket, from the handshake to its end. Public channels need no sign-in; private ones need a session or an API
 * key, in the handshake or in a message. A signed-in socket lives as long as its session and its token, or its key; a
 * new token of the same session keeps it open.
 */
export type LiveConnection = {
  readonly id: string;
  /** To be called about once a second: closes the socket on time-outs, and sends a heartbeat now and then. */
  readonly look: (heartbeat: () => Buffer) => void;
  readonly signIn: (identity: LiveIdentity) => void;
  readonly close: (closing: Closing) => void;
  /** Before the process stops: reconnect after so many milliseconds. */
  readonly sendAway: (afterMs: number) => void;
  readonly facts: () => ConnectionFacts;
};

export type ConnectionFacts = {
  readonly userId: string | undefined;
  readonly openedAtMs: number;
  readonly heardAtMs: number;
  readonly channels: readonly string[];
};

export type ConnectionParts = {
  readonly hub: Hub;
  readonly signIn: SignIn;
  readonly hold: Hold;
  readonly maintenance: () => { readonly message: string } | undefined;
  /** Messages and pings, by connection. */
  readonly limit: Limit;
  readonly clock: Clock;
  readonly log: Logger;
};

type OpenParts = ConnectionParts & {
  readonly id: string;
  readonly address: string;
  readonly webSocket: WebSocket;
  /** Below the WebSocket, for frames that are shared by many sockets. */
  readonly socket: Duplex;
  /** Whether one more socket of this user may be open. */
  readonly mayOpen: (userId: string) => boolean;
  readonly onClosed: (userId: string | undefined) => void;
};

/** An anonymous socket that has asked for nothing is closed. */
const IDLE_MS_MAX = 30_000;
const PING_EVERY_MS = 20_000;
/** Two pings without an answer. */
const SILENCE_MS_MAX = 45_000;
/** How long a client has to answer our close frame. */
const LAST_WORDS_MS_MAX = 2_000;
/** Answers to messages beyond this: the client does not read them. */
const UNREAD_BYTES_MAX = 2 * 1024 * 1024;

export function openConnection(parts: OpenParts): LiveConnection {
  const { id, webSocket, socket, hub, hold, limit, maintenance, clock, log } = parts;
  const openedAtMs = clock.nowMs();
  let heardAtMs = openedAtMs;
  let pingedAtMs = openedAtMs;
  let identity: LiveIdentity | undefined;
  let release = () => {};
  let isOver = false;
  let closedAtMs = Number.POSITIVE_INFINITY;
  /** Messages are handled in order; the limit on messages bounds how many wait. */
  let work = Promise.resolve();
  const member = hub.open({
    outlet: {
      kind: "socket",
      write: (bytes) => void (isOver || socket.write(bytes)),
      unsentBytes: () => socket.writableLength,
    },
    onSlow() {
      send({ type: "error", code: "slow_reader", resume: hub.privatePositions(member) });
      close("slow_reader");
    },
  });
  const subscriptions = createSubscriptions({ hub, member, user: () => identity?.userId });

  function end(): void {
    isOver = true;
    release();
    hub.leave(member);
  }

  function close(closing: Closing): void {
    if (isOver) return;
    closedAtMs = clock.nowMs();
    end();
    webSocket.close(CLOSINGS[closing], closing);
  }

  function send(message: ControlMessage): void {
    if (!isOver) webSocket.send(JSON.stringify(message));
    if (socket.writableLength > UNREAD_BYTES_MAX) webSocket.terminate();
  }

  function signIn(found: LiveIdentity, messageId?: MessageId): void {
    // The client may have left meanwhile.
    if (isOver) return;
    const refusal = identity === undefined ? firstRefusal(found) : laterRefusal(identity, found);
    if (refusal !== undefined) {
      close(refusal);
      return;
    }
    if (identity === undefined) release = hold(found, close);
    identity = found;
    const { userId, proof, expiresAtMs } = found;
    const facts = { ...named(messageId), userId, ...proof, expiresAt: expiresAtMs ?? null };
    if (!isShutOut()) send({ type: "authenticated", ...facts });
  }

  function firstRefusal({ userId }: LiveIdentity): Closing | undefined {
    return parts.mayOpen(userId) ? undefined : "socket_limit_reached";
  }

  /** During maintenance only admins stay connected. */
  function isShutOut(): boolean {
    const underWork = identity?.role === "admin" ? undefined : maintenance();
    if (underWork === undefined) return false;
    const detail = underWork.message === "" ? {} : { detail: underWork.message };
    send({ type: "error", code: "venue_maintenance", ...detail });
    close("venue_maintenance");
    return true;
  }

  async function handle(data: Buffer, isBinary: boolean): Promise<void> {
    if (isOver) return;
    const message = readMessage(data, isBinary);
    if (message.ok) await answer(message.value);
    else send(message.reason);
  }

  async function answer(message: ClientMessage): Promise<void> {
    const { type, id: messageId } = message;
    switch (type) {
      case "authenticate":
        return authenticate(message, messageId);
      case "subscribe":
      case "unsubscribe": {
        const done = type === "subscribe" ? await subscriptions.subscribe(message) : subscriptions.unsubscribe(message);
        if (!done.ok) return send({ type: "error", ...named(messageId), ...done.reason });
        send({
          type: type === "subscribe" ? "subscribed" : "unsubscribed",
          ...named(messageId),
          channels: message.channels,
        });
        return done.value();
      }
      case "list":
        return send({ type: "subscriptions", ...named(messageId), channels: subscriptions.list() });
      case "ping":
        return send({ type: "pong", ...named(messageId), serverTime: clock.nowMs() });
      default:
        unreachable(type);
    }
  }

  async function authenticate(credentials: Credentials, messageId: MessageId | undefined): Promise<void> {
    const found = await parts.signIn(credentials, parts.address);
    if (found.ok) return signIn(found.value, messageId);
    // The reason is for programs: a browser knows that its token has expired.
    if (found.reason !== "not_signed_in") send({ type: "error", ...named(messageId), code: found.reason });
    close("not_signed_in");
  }

  function isTooOften(): boolean {
    heardAtMs = clock.nowMs();
    if (!isOver && limit.take(id).isOver) close("rate_limited");
    return isOver;
  }

  webSocket.on("message", (data: Buffer, isBinary) => {
    if (isTooOften()) return;
    work = work.then(() => handle(data, isBinary)).catch(fail);
  });
  webSocket.on("ping", (data: Buffer) => {
    if (isTooOften()) return;
    webSocket.pong(data);
    if (socket.writableLength > UNREAD_BYTES_MAX) webSocket.terminate();
  });
  webSocket.on("pong", () => {
    heardAtMs = clock.nowMs();
  });
  // A frame that is too large or malformed; the library closes with the code for it.
  webSocket.on("error", (error) => log.info({ err: error }, "a socket ended with an error"));
  webSocket.on("close", () => {
    end();
    parts.onClosed(identity?.userId);
  });

  function fail(error: unknown): void {
    const isUnavailable = isStoreUnavailable(error);
    if (!isUnavailable) log.error({ err: error }, "a socket message failed");
    close(isUnavailable ? "store_unavailable" : "internal_error");
  }

  /** The reason to close now, by time-out. */
  function overdue(nowMs: number): Closing | undefined {
    if (identity?.expiresAtMs !== undefined && identity.expiresAtMs <= nowMs) return "token_expired";
    const isIdle = identity === undefined && subscriptions.count() === 0;
    return isIdle && nowMs - openedAtMs > IDLE_MS_MAX ? "nothing_subscribed" : undefined;
  }

  function look(heartbeat: () => Buffer): void {
    const nowMs = clock.nowMs();
    const closing = overdue(nowMs);
    if (closing !== undefined) close(closing);
    else if (nowMs - heardAtMs > SILENCE_MS_MAX) webSocket.terminate();
    if (nowMs - closedAtMs > LAST_WORDS_MS_MAX) webSocket.terminate();
    if (isOver || isShutOut() || nowMs - pingedAtMs < PING_EVERY_MS || webSocket.readyState !== WebSocket.OPEN) return;
    pingedAtMs = nowMs;
    socket.write(heartbeat());
  }

  return {
    ...{ id, look, signIn, close },
    sendAway(afterMs) {
      send({ type: "reconnect", afterMs });
      close("stopping");
    },
    facts: () => ({ userId: identity?.userId, openedAtMs, heardAtMs, channels: subscriptions.list() }),
  };
}

const named = (id: MessageId | undefined) => (id === undefined ? {} : { id });

/**
 * A socket belongs to one session or key: a newer token of the session keeps it open, another identity is refused.
 */
function laterRefusal(before: LiveIdentity, found: LiveIdentity): Closing | undefined {
  const isSame = JSON.stringify([before.userId, before.proof]) === JSON.stringify([found.userId, found.proof]);
  return isSame ? undefined : "not_signed_in";
}
