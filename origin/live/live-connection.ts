import type { Logger } from "pino";
import { WebSocket } from "ws";
import { unreachable } from "../../shared/assert.ts";
import type { Clock } from "../../shared/clock.ts";
import type { HeldSessions } from "../accounts/identity/held-sessions.ts";
import type { ReadSession, TokenSession } from "../accounts/identity/session-reader.ts";
import type { ProcessLimits } from "../accounts/limits/process-limits.ts";
import type { Maintenance } from "../api/serve-operation.ts";
import { isStoreUnavailable } from "../redis/store-unavailable.ts";
import { CLOSINGS, type ClientMessage, type Closing, readMessage, type ServerMessage } from "./messages.ts";

/**
 * One socket, from the handshake to its end. It authenticates in the handshake or with its first message, and lives as
 * long as its session and its access token; a new token of the same session keeps it open.
 */
export type LiveConnection = {
  /** To be called about once a second: closes the socket on time-outs. */
  readonly look: () => void;
  readonly signIn: (session: TokenSession) => void;
  readonly close: (closing: Closing) => void;
};

export type LiveParts = {
  readonly readSession: ReadSession;
  readonly heldSessions: HeldSessions;
  readonly limits: ProcessLimits;
  readonly maintenance: () => Maintenance | undefined;
  readonly clock: Clock;
  readonly log: Logger;
};

type ConnectionParts = LiveParts & {
  readonly id: string;
  readonly socket: WebSocket;
  /** Whether one more socket of this user may be open. */
  readonly mayOpen: (userId: string) => boolean;
  readonly onClosed: (userId: string | undefined) => void;
};

/** A page has its token within a moment; a client that does not authenticate is closed. */
const AUTHENTICATE_WITHIN_MS = 10_000;
const PING_EVERY_MS = 20_000;
/** Two pings without an answer. */
const SILENCE_MS_MAX = 45_000;
/** How long a client has to answer our close frame. */
const LAST_WORDS_MS_MAX = 2_000;
/** Beyond this, the client does not read what is sent. */
const UNSENT_BYTES_MAX = 256 * 1024;

export function openConnection(parts: ConnectionParts): LiveConnection {
  const { id, socket, readSession, heldSessions, limits, maintenance, clock, log } = parts;
  const openedAtMs = clock.nowMs();
  let heardAtMs = openedAtMs;
  let pingedAtMs = openedAtMs;
  let session: TokenSession | undefined;
  let release = () => {};
  let isOver = false;
  let closedAtMs = Number.POSITIVE_INFINITY;
  /** Messages are handled in order; the limit on messages bounds how many wait. */
  let work = Promise.resolve();

  function close(closing: Closing): void {
    if (isOver) return;
    isOver = true;
    closedAtMs = clock.nowMs();
    release();
    socket.close(CLOSINGS[closing], closing);
  }

  function send(message: ServerMessage): void {
    if (!isOver) socket.send(JSON.stringify(message));
    if (socket.bufferedAmount > UNSENT_BYTES_MAX) socket.terminate();
  }

  function signIn(found: TokenSession): void {
    // The client may have left meanwhile.
    if (isOver) return;
    const refusal = session === undefined ? firstRefusal(found) : laterRefusal(session, found);
    if (refusal !== undefined) {
      close(refusal);
      return;
    }
    const { user, sessionId, expiresAtMs } = found;
    if (session === undefined)
      release = heldSessions.hold({ userId: user.id, sessionId, role: user.role, onEnd: close });
    session = found;
    if (!isShutOut()) send({ type: "authenticated", userId: user.id, sessionId, expiresAt: expiresAtMs });
  }

  function firstRefusal({ user }: TokenSession): Closing | undefined {
    return parts.mayOpen(user.id) ? undefined : "socket_limit_reached";
  }

  /** During maintenance only admins stay connected. */
  function isShutOut(): boolean {
    const underWork = session === undefined || session.user.role === "admin" ? undefined : maintenance();
    if (underWork === undefined) return false;
    send({
      type: "error",
      code: "venue_maintenance",
      ...(underWork.message === "" ? {} : { detail: underWork.message }),
    });
    close("venue_maintenance");
    return true;
  }

  async function handle(data: Buffer, isBinary: boolean): Promise<void> {
    if (isOver) return;
    const message = readMessage(data, isBinary);
    if (session === undefined && !(message.ok && message.value.type === "authenticate")) close("not_signed_in");
    else if (message.ok) await answer(message.value);
    else send(message.reason);
  }

  async function answer(message: ClientMessage): Promise<void> {
    switch (message.type) {
      case "authenticate": {
        const found = await readSession(message.accessToken);
        if (found === undefined) close("not_signed_in");
        else signIn(found);
        return;
      }
      case "ping":
        send({ type: "pong", ...(message.id === undefined ? {} : { id: message.id }), serverTime: clock.nowMs() });
        return;
      default:
        unreachable(message);
    }
  }

  function isTooOften(): boolean {
    heardAtMs = clock.nowMs();
    if (!isOver && limits.live.take(id).isOver) close("rate_limited");
    return isOver;
  }

  socket.on("message", (data: Buffer, isBinary) => {
    if (isTooOften()) return;
    work = work.then(() => handle(data, isBinary)).catch(fail);
  });
  socket.on("ping", (data: Buffer) => {
    if (isTooOften()) return;
    socket.pong(data);
    if (socket.bufferedAmount > UNSENT_BYTES_MAX) socket.terminate();
  });
  socket.on("pong", () => {
    heardAtMs = clock.nowMs();
  });
  // A frame that is too large or malformed; the library closes with the code for it.
  socket.on("error", (error) => log.info({ err: error }, "a socket ended with an error"));
  socket.on("close", () => {
    isOver = true;
    release();
    parts.onClosed(session?.user.id);
  });

  function fail(error: unknown): void {
    const isUnavailable = isStoreUnavailable(error);
    if (!isUnavailable) log.error({ err: error }, "a socket message failed");
    close(isUnavailable ? "store_unavailable" : "internal_error");
  }

  /** The reason to close now, by time-out. */
  function overdue(nowMs: number): Closing | undefined {
    if (session === undefined) return nowMs - openedAtMs > AUTHENTICATE_WITHIN_MS ? "not_signed_in" : undefined;
    return session.expiresAtMs <= nowMs ? "token_expired" : undefined;
  }

  function look(): void {
    const nowMs = clock.nowMs();
    const closing = overdue(nowMs);
    if (closing !== undefined) close(closing);
    else if (nowMs - heardAtMs > SILENCE_MS_MAX) socket.terminate();
    if (nowMs - closedAtMs > LAST_WORDS_MS_MAX) socket.terminate();
    if (isOver || isShutOut() || nowMs - pingedAtMs < PING_EVERY_MS || socket.readyState !== WebSocket.OPEN) return;
    pingedAtMs = nowMs;
    socket.ping();
  }

  return { look, signIn, close };
}

/**
 * A socket belongs to one session: a newer token of the session keeps it open, a token of another session is refused.
 */
function laterRefusal(before: TokenSession, { user, sessionId }: TokenSession): Closing | undefined {
  return before.sessionId === sessionId && before.user.id === user.id ? undefined : "not_signed_in";
}
