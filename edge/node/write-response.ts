import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { assert } from "../../shared/assert.ts";
import { OriginResponse } from "./forward.ts";
import type { NodeRequest } from "./node-request.ts";
import { PlainResponse } from "./plain-response.ts";

/** How long a client that keeps sending after its response is read: cut off at once, it might lose the response. */
const LAST_BYTES_MS_MAX = 2_000;

/**
 * Writes the app's answer to the socket. An answer that breaks off on our side or the origin's breaks off at the client
 * too.
 */
export function writeResponse({ incoming, outgoing }: NodeRequest, answer: Response): Promise<void> | undefined {
  const response = answer as unknown as PlainResponse;
  assert(response instanceof PlainResponse, "every response of the app is made here");
  if (outgoing.destroyed || !outgoing.socket?.writable) {
    if (response instanceof OriginResponse) response.stream.destroy();
    return undefined;
  }
  if (!incoming.complete) outgoing.once("finish", () => letGo(incoming));
  // HTTP/1.1 keeps connections anyway; to say so is for those who speak 1.0.
  if (outgoing.shouldKeepAlive && incoming.httpVersionMinor === 1) outgoing.removeHeader("connection");
  if (response instanceof OriginResponse) return writeOrigin(outgoing, response);
  const { wholeText } = response;
  const isHead = incoming.method === "HEAD";
  if (wholeText !== undefined && !isHead) {
    const bytes = Buffer.byteLength(wholeText);
    writeHead(outgoing, response, bytes);
    // Text of ASCII alone leaves without being encoded.
    outgoing.end(wholeText, bytes === wholeText.length ? "latin1" : "utf8");
    return undefined;
  }
  const body = isHead ? null : response.body;
  if (body !== null) return writeStream(outgoing, response, body);
  writeHead(outgoing, response);
  outgoing.end();
  return undefined;
}

function writeHead(outgoing: ServerResponse, { status, statusText, headers }: PlainResponse, length?: number): void {
  const lines = headers.toRaw();
  if (length !== undefined && !headers.has("content-length")) lines.push("content-length", String(length));
  if (statusText === "") outgoing.writeHead(status, lines);
  else outgoing.writeHead(status, statusText, lines);
}

function writeOrigin(outgoing: ServerResponse, response: OriginResponse): undefined {
  const { stream } = response;
  if (stream.errored || (stream.destroyed && !stream.complete)) {
    outgoing.destroy();
    return;
  }
  writeHead(outgoing, response);
  // Most answers have come in one piece with their head, and leave in one.
  if (stream.complete) {
    outgoing.end(stream.read());
    return;
  }
  if (stream.readableLength === 0) outgoing.flushHeaders();
  stream.on("error", () => outgoing.destroy());
  stream.pipe(outgoing);
}

/** Our own bodies nearly always have one piece, and then a length. A longer stream is sent piece by piece. */
async function writeStream(
  outgoing: ServerResponse,
  response: PlainResponse,
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  const reader = body.getReader();
  outgoing.once("close", () => void reader.cancel().catch(ignore));
  const first = await reader.read();
  if (first.done) {
    writeHead(outgoing, response, 0);
    outgoing.end();
    return;
  }
  const following = reader.read();
  const second = await Promise.race([following, nextTurn()]);
  if (second?.done) {
    writeHead(outgoing, response, first.value.length);
    outgoing.end(first.value);
    return;
  }
  writeHead(outgoing, response);
  await writePiece(outgoing, first.value);
  for (let next = await following; !next.done; next = await reader.read()) await writePiece(outgoing, next.value);
  outgoing.end();
}

/** Settles when there is room for more, or the reader is gone. */
function writePiece(outgoing: ServerResponse, piece: Uint8Array): Promise<void> | undefined {
  if (outgoing.write(piece) || outgoing.destroyed) return undefined;
  return new Promise((resolve) => {
    outgoing.once("drain", resolve);
    outgoing.once("close", resolve);
  });
}

function letGo(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  incoming.resume();
  const timer = setTimeout(() => incoming.socket.destroy(), LAST_BYTES_MS_MAX);
  incoming.once("close", () => clearTimeout(timer));
}

const ignore = () => undefined;
