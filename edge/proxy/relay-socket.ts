import { CHECK_MS, CLOSE_CODES, type SessionWatch } from "./platform.ts";

/**
 * Relays a WebSocket whose session may end. Messages pass unchanged in both directions, text or binary, and each side
 * gets the other's close code. The runtime answers pings on either side. (A socket that needs no watch never comes
 * here: the runtime passes it on, which is cheaper.)
 */
export function relaySocket(response: Response, { check }: SessionWatch): Response {
  const origin = response.webSocket;
  if (origin === null) return response;
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket];
  const seen = { isInUse: false };
  const timer = setInterval(() => {
    const use = { ...seen };
    seen.isInUse = false;
    void check(use).then((state) => state !== "running" && end(state), ignore);
  }, CHECK_MS);

  function end(state: "revoked" | "expired"): void {
    clearInterval(timer);
    closeWith(server, { code: CLOSE_CODES[state], reason: state });
    closeWith(origin as WebSocket, { code: CLOSE_CODES[state], reason: state });
  }

  const stop = () => clearInterval(timer);
  const onClient = () => {
    seen.isInUse = true;
  };
  pass({ from: server, to: origin, onMessage: onClient, onClose: stop });
  pass({ from: origin, to: server, onMessage: ignore, onClose: stop });
  // Half open: a close is passed on and answered by the other end, not by the runtime.
  for (const socket of [origin, server]) {
    socket.binaryType = "arraybuffer";
    socket.accept({ allowHalfOpen: true });
  }
  return new Response(null, { status: response.status, headers: response.headers, webSocket: client });
}

type Direction = {
  readonly from: WebSocket;
  readonly to: WebSocket;
  readonly onMessage: () => void;
  readonly onClose: () => void;
};

function pass({ from, to, onMessage, onClose }: Direction): void {
  from.addEventListener("message", ({ data }) => {
    onMessage();
    try {
      to.send(data);
    } catch {
      // The other side has closed; its own event ends this one.
    }
  });
  from.addEventListener("close", ({ code, reason }) => {
    onClose();
    closeWith(to, { code, reason });
  });
  from.addEventListener("error", () => {
    onClose();
    closeWith(to, { code: CLOSED_WITHOUT_A_WORD, reason: "" });
  });
}

/** RFC 6455, 7.4.1: said of a connection, never sent on one. */
const CLOSED_WITHOUT_CODE = 1005;
const CLOSED_WITHOUT_A_WORD = 1006;
const GOING_AWAY = 1001;
const PROTOCOL_ERROR = 1002;

/**
 * A reserved close code is not passed on, but the close is: its sender must not keep the other side open, and with it a
 * session without a watch.
 */
function closeWith(socket: WebSocket, { code, reason }: { readonly code: number; readonly reason: string }): void {
  try {
    if (code === CLOSED_WITHOUT_CODE) socket.close();
    else socket.close(code === CLOSED_WITHOUT_A_WORD ? GOING_AWAY : code, reason);
  } catch {
    closeAtLeast(socket);
  }
}

function closeAtLeast(socket: WebSocket): void {
  try {
    socket.close(PROTOCOL_ERROR);
  } catch {
    // Closed already.
  }
}

const ignore = () => undefined;
