import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type ErrorCode, problemResponse } from "../../shared/http/errors.ts";
import { newId, systemRandom } from "../../shared/ids.ts";
import { WINDOW_BYTES_MIN, WINDOWS_MAX } from "../proxy/body-pace.ts";
import { TARGET_LENGTH_MAX } from "../request/plain-target.ts";
import type { NodeRequest } from "./node-request.ts";

type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

type Connection = {
  readonly socket: Duplex;
  /** The request that was last read from it, if any. */
  readonly latest: NodeRequest | undefined;
};

/**
 * Bytes that are no request, or a request with wrong framing. A client that is still connected gets one answer; never
 * in the middle of another response.
 */
export function answerBrokenRequest(error: ParseError, { socket, latest }: Connection): void {
  if (answered.has(socket)) return;
  answered.add(socket);
  const code = codeOf(error);
  const pending = latest?.outgoing.writableFinished === false ? latest : undefined;
  if (code === undefined || !socket.writable || (pending?.outgoing.headersSent && !pending.incoming.complete))
    socket.destroy();
  // The previous request was complete, and its response is being sent: only the next request is broken, and it is
  // dropped.
  else if (pending?.incoming.complete) pending.outgoing.once("finish", () => socket.end());
  else void refuseSocket(socket, code);
}

const answered = new WeakSet<Duplex>();

/** A request line whose target is past what `plainTarget` takes. */
const LONG_REQUEST_LINE = new RegExp(`^[A-Z]+ /[^\\s]{${TARGET_LENGTH_MAX}}`);

/** Undefined when the client is gone. */
function codeOf({ code, rawPacket }: ParseError): ErrorCode | undefined {
  if (code === "HPE_INVALID_URL") return "path_not_plain";
  if (code === "HPE_HEADER_OVERFLOW") return isLongTarget(rawPacket) ? "url_too_long" : "headers_too_large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request_timeout";
  return code?.startsWith("HPE_") ? "request_ambiguous" : undefined;
}

function isLongTarget(packet: Buffer | undefined): boolean {
  return packet !== undefined && LONG_REQUEST_LINE.test(packet.toString("latin1", 0, 2 * TARGET_LENGTH_MAX));
}

/** How long a client that sends what cannot be read has to take the answer. */
const LAST_WORDS_MS_MAX = 500;

/** Answers on a socket where no request could be made of the bytes, and closes it. */
export async function refuseSocket(
  socket: Duplex,
  code: ErrorCode,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const response = problemResponse(code, { requestId: newId(systemRandom), headers });
  const body = await response.text();
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  const head = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`,
    ...lines,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  if (!socket.writable) return;
  socket.end(`${[...head, "connection: close"].join("\r\n")}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LAST_WORDS_MS_MAX).unref();
}

/**
 * The pace of a body (`edge/proxy/body-pace.ts`), independent of its reader. The socket counts the bytes, so nothing is
 * put between it and the reader. A window in which the reader took no bytes does not count against the client.
 */
export function watchBody({ incoming, outgoing }: NodeRequest, windowMs: number): void {
  const { socket } = incoming;
  let seenBytes = socket.bytesRead;
  let windows = 0;
  const timer = setInterval(() => {
    if (incoming.complete || incoming.destroyed || outgoing.writableEnded) return clearInterval(timer);
    const isWaitedFor = !incoming.isPaused() && incoming.readableLength === 0;
    const isSlow = isWaitedFor && (socket.bytesRead - seenBytes < WINDOW_BYTES_MIN || ++windows >= WINDOWS_MAX);
    seenBytes = socket.bytesRead;
    if (!isSlow) return;
    clearInterval(timer);
    if (outgoing.headersSent) socket.destroy();
    else void refuseSocket(socket, "request_timeout");
  }, windowMs);
  timer.unref();
  incoming.once("close", () => clearInterval(timer));
}
