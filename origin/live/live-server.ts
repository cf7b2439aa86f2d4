import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { type ErrorCode, problemResponse } from "../../shared/http/errors.ts";
import { addressIdentity } from "../../shared/net/ip-address.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { PASS_HEADER } from "../../shared/tokens/admission.ts";
import type { PassCheck } from "../accounts/admission/admission.ts";
import { refusalOfPass } from "../accounts/admission/admission.ts";
import { admitUpgrade, refuseUpgrade } from "../accounts/admission/admit-upgrade.ts";
import type { ProcessLimits } from "../accounts/limits/process-limits.ts";
import { bearerToken } from "../api/authenticate.ts";
import { writeAnswer } from "../api/http-exchange.ts";
import { isFromAnotherSite } from "../api/serve-operation.ts";
import { isStoreUnavailable } from "../redis/store-unavailable.ts";
import type { Credentials, LiveIdentity, SignIn } from "./sockets/live-identity.ts";
import type { Handshake } from "./sockets/socket-host.ts";
import type { StreamRequest } from "./sockets/stream-connection.ts";

/**
 * `GET /api/v1/ws`: judges handshakes and hands the sockets over to their host. Behind the gate's pass like every route,
 * from our own pages only. A signed-in socket never outlives its session or its key. When Redis is unavailable, new
 * sockets are refused and open ones stay.
 */
export type LiveServer = {
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Serves `GET /api/v1/stream`; returns false for any other request and leaves it as it is. */
  readonly stream: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;
  readonly stop: () => Promise<void>;
};

/** Where the sockets live. */
export type LiveHost = {
  readonly accept: (handshake: Handshake, socket: Duplex, head: Buffer) => void;
  readonly acceptStream: (request: StreamRequest, outgoing: ServerResponse) => void;
  readonly stop: () => Promise<void>;
};

const LIVE_PATH = "/api/v1/ws";
const STREAM_PATH = "/api/v1/stream";
const RETRY_AFTER_SECONDS = 2;

type ServerParts = {
  readonly host: LiveHost;
  readonly checkPass: PassCheck;
  readonly signIn: SignIn;
  readonly limits: Pick<ProcessLimits, "address">;
  readonly isReady: () => boolean;
  readonly log: Logger;
};

export function createLiveServer({ host, checkPass, signIn, isReady, limits, log }: ServerParts): LiveServer {
  /** Why this handshake is refused, before authentication. */
  function barrierOf(asked: Asked): ErrorCode | undefined {
    if (!isReady()) return "store_unavailable";
    if (isFromAnotherSite(asked)) return "other_site_refused";
    return limits.address.take(addressOf(asked)).isOver ? "rate_limited" : undefined;
  }

  /** The identity of the handshake's token or signature; undefined for a client that sent neither. */
  async function judge(request: IncomingMessage): Promise<Result<LiveIdentity | undefined, ErrorCode>> {
    const { method = "", url = "" } = request;
    const headers = headersOf(request);
    const barrier = url.split("?", 1)[0] === LIVE_PATH ? barrierOf({ method, headers }) : "not_found";
    if (barrier !== undefined) return fail(barrier);
    const credentials = credentialsOf(headers);
    return credentials === undefined ? ok(undefined) : signIn(credentials, headers.get("x-forwarded-for") ?? "");
  }

  async function open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if ((await admitUpgrade(checkPass, { request, socket })) === undefined) return;
    // A client that leaves meanwhile must not end the process.
    socket.on("error", ignore);
    const verdict = await judge(request);
    if (!verdict.ok) return refuseUpgrade(socket, refusal(verdict.reason));
    socket.off("error", ignore);
    const headers = headersOf(request);
    const address = addressOf({ headers });
    host.accept({ headers: protocolHeaders(headers), address, identity: verdict.value }, socket, head);
  }

  async function openStream(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const headers = headersOf(incoming);
    const requestId = headers.get("x-request-id") ?? undefined;
    const pass = headers.get(PASS_HEADER) ?? undefined;
    const refusedPass = await refusalOfPass(checkPass, { pass, path: STREAM_PATH, requestId });
    const code = refusedPass === undefined ? barrierOf({ method: "GET", headers }) : undefined;
    const refused = code === undefined ? refusedPass : refusal(code);
    const query = new URL(incoming.url ?? "", "http://venue").searchParams;
    const channels = [...new Set((query.get("channels") ?? "").split(",").filter((name) => name !== ""))];
    if (refused !== undefined) await writeAnswer({ incoming, outgoing }, refused);
    else if (channels.length === 0)
      await writeAnswer({ incoming, outgoing }, problemResponse("validation_failed", NO_CHANNELS));
    else {
      const lastEventId = headers.get("last-event-id") ?? query.get("lastEventId") ?? undefined;
      host.acceptStream({ channels, lastEventId, address: addressOf({ headers }) }, outgoing);
    }
  }

  return {
    stream(incoming, outgoing) {
      const path = incoming.url?.split("?", 1)[0];
      if (incoming.method !== "GET" || path !== STREAM_PATH) return false;
      openStream(incoming, outgoing).catch((error: unknown) => {
        log.error({ err: error }, "an event stream failed");
        outgoing.destroy();
      });
      return true;
    },
    upgrade(request, socket, head) {
      open(request, socket, head).catch((error: unknown) => {
        const isUnavailable = isStoreUnavailable(error);
        if (!isUnavailable) log.error({ err: error }, "a handshake failed");
        void refuseUpgrade(socket, refusal(isUnavailable ? "store_unavailable" : "internal_error"));
      });
    },
    stop: host.stop,
  };
}

const ignore = () => {};

const NO_CHANNELS = { errors: [{ field: "channels", message: "must name at least one channel, separated by commas" }] };

type Asked = { readonly method: string; readonly headers: Headers };

const addressOf = ({ headers }: Pick<Asked, "headers">) => addressIdentity(headers.get("x-forwarded-for") ?? "");

/** A handshake can be signed with an API key like any request. */
function credentialsOf(headers: Headers): Credentials | undefined {
  const authorization = headers.get("authorization");
  const apiKey = headers.get("x-api-key");
  if (apiKey === null) return authorization === null ? undefined : { accessToken: bearerToken(authorization) ?? "" };
  // Two identities in one request: it is not clear which was meant.
  if (authorization !== null) return { accessToken: "" };
  const window = headers.get("x-api-window");
  return {
    apiKey,
    timestamp: Number(headers.get("x-api-timestamp") ?? Number.NaN),
    signature: headers.get("x-api-signature") ?? "",
    ...(window !== null && { window: Number(window) }),
    nonce: headers.get("x-api-nonce") ?? "",
  };
}

const PROTOCOL_HEADERS = [
  "upgrade",
  "connection",
  "sec-websocket-key",
  "sec-websocket-version",
  "sec-websocket-protocol",
];

function protocolHeaders(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries(
    PROTOCOL_HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? ""]] : [])),
  );
}

function refusal(code: ErrorCode): Response {
  const isPassing = code === "store_unavailable" || code === "rate_limited";
  return problemResponse(code, isPassing ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {});
}

function headersOf(request: IncomingMessage): Headers {
  const pairs = Object.entries(request.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
  return new Headers(pairs);
}
