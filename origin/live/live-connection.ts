import type { Logger } from "pino";
import { WebSocket } from "ws";
import { unreachable } from "../../shared/assert.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Maintenance } from "../api/serve-operation.ts";
import type { HeldSessions } from "../identity/held-sessions.ts";
import type { ReadSession, TokenSession } from "../identity/session-reader.ts";
import type { ProcessLimits } from "../limits/process-limits.ts";
import { isStoreAbsence } from "../redis/store-absence.ts";
import { CLOSINGS, type Closing } from "./closings.ts";
import { type ClientMessage, readMessage, type ServerMessage } from "./messages.ts";

/**
 * One socket, from the handshake to its end. It says who it is first (or has said so in the handshake), and lives as long as its
 * session does and its access token is good; a new token of the same session keeps it open.
 */
export type LiveConnection = {
  /** To be called about once a second: time alone ends some things. */
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

/** A page loads its token within a moment; who says nothing is nobody. */
const AUTHENTICATE_WITHIN_MS = 10_000;
const PING_EVERY_MS = 20_000;
/** Two pings without a word. */
const SILENCE_MS_MAX = 45_000;
/** What a client has to answer our close with its own. */
const LAST_WORDS_MS_MAX = 2_000;
/** Somebody who does not read what we send. */
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
  /** One after the other, in the order they came; the limit on messages bounds how many wait. */
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
    // The client may have left while we asked.
    if (isOver) return;
    const refusal = session === undefined ? firstRefusal(found) : laterRefusal(session, found);
    if (refusal !== undefined) {
      close(refusal);
      return;
    }
    const { user, sessionId, expiresAtMs } = found;
    if (session === undefined) release = heldSessions.hold({ userId: user.id, sessionId, role: user.role, onEnd: close });
    session = found;
    if (!isShutOut()) send({ type: "authenticated", userId: user.id, sessionId, expiresAt: expiresAtMs });
  }

  function firstRefusal({ user }: TokenSession): Closing | undefined {
    return parts.mayOpen(user.id) ? undefined : "socket_limit_reached";
  }

  /** While the venue is being worked on, only admins stay. */
  function isShutOut(): boolean {
    const underWork = session === undefined || session.user.role === "admin" ? undefined : maintenance();
    if (underWork === undefined) return false;
    send({ type: "error", code: "venue_maintenance", ...(underWork.message === "" ? {} : { detail: underWork.message }) });
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
  // A frame that is too large or no frame at all; the library closes with the code for it.
  socket.on("error", (error) => log.info({ err: error }, "a socket broke off"));
  socket.on("close", () => {
    isOver = true;
    release();
    parts.onClosed(session?.user.id);
  });

  function fail(error: unknown): void {
    const isAway = isStoreAbsence(error);
    if (!isAway) log.error({ err: error }, "a message failed");
    close(isAway ? "store_unavailable" : "internal_error");
  }

  /** What time alone has ended. */
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

/** A socket is one session's: a newer token of it keeps it open, another's does not take it over. */
function laterRefusal(before: TokenSession, { user, sessionId }: TokenSession): Closing | undefined {
  return before.sessionId === sessionId && before.user.id === user.id ? undefined : "not_signed_in";
}
