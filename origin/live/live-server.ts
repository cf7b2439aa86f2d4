import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocketServer } from "ws";
import { type ErrorCode, problemResponse } from "../../shared/http/errors.ts";
import { type FillRandom, newId } from "../../shared/ids.ts";
import { addressIdentity } from "../../shared/net/ip-address.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { PassCheck } from "../accounts/admission/admission.ts";
import { admitUpgrade, refuseUpgrade } from "../accounts/admission/admit-upgrade.ts";
import type { TokenSession } from "../accounts/identity/session-reader.ts";
import { bearerToken } from "../api/authenticate.ts";
import { isFromAnotherSite } from "../api/serve-operation.ts";
import { isStoreUnavailable } from "../redis/store-unavailable.ts";
import { type LiveConnection, type LiveParts, openConnection } from "./live-connection.ts";

/**
 * `GET /api/v1/ws`: sockets of signed-in users, behind the gate's pass like every route, from our own pages only. A
 * socket never outlives its session: it is closed when the session ends, in whichever process, and when its token
 * expires. When Redis is unavailable, new sockets are refused and open ones stay.
 */
export type LiveServer = {
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly stop: () => Promise<void>;
};

const LIVE_PATH = "/api/v1/ws";
/** A token has at most 2 KiB; every other message is shorter. */
const MESSAGE_BYTES_MAX = 16 * 1024;
/** Some 20 kB each in this process and at the edge. */
const SOCKETS_MAX = 10_000;
const SOCKETS_PER_USER_MAX = 20;
const LOOK_EVERY_MS = 1_000;
const LAST_WORDS_MS = 200;
const RETRY_AFTER_SECONDS = 2;

type ServerParts = LiveParts & {
  readonly checkPass: PassCheck;
  readonly isReady: () => boolean;
  readonly random: FillRandom;
};

export function createLiveServer(parts: ServerParts): LiveServer {
  const { checkPass, readSession, isReady, limits, random, log } = parts;
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    // Each pong counts against the limit before it is sent.
    autoPong: false,
  });
  const connections = new Set<LiveConnection>();
  const perUser = new Map<string, number>();

  function mayOpen(userId: string): boolean {
    const count = perUser.get(userId) ?? 0;
    if (count >= SOCKETS_PER_USER_MAX) return false;
    perUser.set(userId, count + 1);
    return true;
  }

  function forget(userId: string): void {
    const left = (perUser.get(userId) ?? 0) - 1;
    if (left > 0) perUser.set(userId, left);
    else perUser.delete(userId);
  }

  /** Why this handshake is refused, before authentication. */
  function barrierOf(
    path: string,
    asked: { readonly method: string; readonly headers: Headers },
  ): ErrorCode | undefined {
    if (path !== LIVE_PATH) return "not_found";
    if (!isReady()) return "store_unavailable";
    if (isFromAnotherSite(asked)) return "other_site_refused";
    if (limits.address.take(addressIdentity(asked.headers.get("x-forwarded-for") ?? "")).isOver) return "rate_limited";
    return connections.size >= SOCKETS_MAX ? "venue_busy" : undefined;
  }

  /** The session of the handshake's token; undefined for a browser, which sends its token in the first message. */
  async function judge(request: IncomingMessage): Promise<Result<TokenSession | undefined, ErrorCode>> {
    const { method = "", url = "" } = request;
    const headers = headersOf(request);
    const barrier = barrierOf(url.split("?", 1)[0] ?? "", { method, headers });
    if (barrier !== undefined) return fail(barrier);
    const authorization = headers.get("authorization");
    if (authorization === null) return ok(undefined);
    const session = await readSession(bearerToken(authorization) ?? "");
    return session === undefined ? fail("not_signed_in") : ok(session);
  }

  async function open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if ((await admitUpgrade(checkPass, { request, socket })) === undefined) return;
    // Until the upgrade is done there is no other listener, and a client that leaves meanwhile must not end the
    // process.
    socket.on("error", ignore);
    const verdict = await judge(request);
    if (!verdict.ok) return refuseUpgrade(socket, refusal(verdict.reason));
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      socket.off("error", ignore);
      const connection: LiveConnection = openConnection({
        ...parts,
        id: newId(random),
        socket: webSocket,
        mayOpen,
        onClosed: (userId) => {
          connections.delete(connection);
          if (userId !== undefined) forget(userId);
        },
      });
      connections.add(connection);
      if (verdict.value !== undefined) connection.signIn(verdict.value);
    });
  }

  const timer = setInterval(() => {
    for (const connection of connections) connection.look();
  }, LOOK_EVERY_MS);
  timer.unref();

  return {
    upgrade(request, socket, head) {
      open(request, socket, head).catch((error: unknown) => {
        const isUnavailable = isStoreUnavailable(error);
        if (!isUnavailable) log.error({ err: error }, "a handshake failed");
        void refuseUpgrade(socket, refusal(isUnavailable ? "store_unavailable" : "internal_error"));
      });
    },
    async stop() {
      clearInterval(timer);
      for (const connection of connections) connection.close("stopping");
      if (sockets.clients.size > 0) await sleep(LAST_WORDS_MS);
      for (const client of sockets.clients) client.terminate();
    },
  };
}

const ignore = () => {};

function refusal(code: ErrorCode): Response {
  const isPassing = code === "store_unavailable" || code === "venue_busy" || code === "rate_limited";
  return problemResponse(code, isPassing ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {});
}

function headersOf(request: IncomingMessage): Headers {
  const pairs = Object.entries(request.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
  return new Headers(pairs);
}
