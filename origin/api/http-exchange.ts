import type { IncomingMessage, ServerResponse } from "node:http";
import { fail, ok } from "../../shared/result.ts";
import { ClientLeft, type ReadBody } from "./api-request.ts";
import { type PlainAnswer, plainAnswer } from "./security-headers.ts";

type Exchange = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };

const NO_BODY: ReadBody = ok(Buffer.alloc(0));

/** RFC 9112, 6.3: without either header a request has no body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

/**
 * Reads the body from the socket, up to a bound: a web stream in between costs more than the rest of the reading. A
 * body whose declared length is too large is not read; `writeAnswer` then closes the connection. The server bounds the
 * time.
 */
export function readIncomingBody(incoming: IncomingMessage, bytesMax: number): ReadBody | Promise<ReadBody> {
  if (!hasBody(incoming)) return NO_BODY;
  if (Number(incoming.headers["content-length"] ?? 0) > bytesMax) return fail("body_too_large");
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let more: Buffer[] | undefined;
    let length = 0;
    incoming.on("data", (bytes: Buffer) => {
      length += bytes.length;
      if (length > bytesMax) {
        incoming.removeAllListeners("data").pause();
        resolve(fail("body_too_large"));
      } else if (first === undefined) first = bytes;
      else {
        more ??= [first];
        more.push(bytes);
      }
    });
    incoming.on("end", () => resolve(ok(more === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(more))));
    incoming.on("error", () => reject(new ClientLeft()));
    incoming.on("close", () => incoming.readableEnded || reject(new ClientLeft()));
  });
}

/** How much of an unwanted body is still read, so that its sender receives the answer. */
const LET_GO_BYTES_MAX = 16 * 1024 * 1024;
const LET_GO_MS_MAX = 2_000;

/**
 * Writes an answer. If the request's body was not read to its end, the answer says `connection: close`, so that no
 * proxy sends another request on this connection. After the answer, the rest of the body is read and dropped for a
 * moment: a socket that is closed with unread bytes is reset, and the client might lose the answer.
 */
export async function writeAnswer({ incoming, outgoing }: Exchange, response: Response): Promise<void> {
  const { status, lines, body } = plainAnswer(response) ?? (await readAnswer(response));
  const isCut = hasBody(incoming) && !(await isWhole(incoming));
  if (outgoing.destroyed) return;
  const all = hasLength(status) ? [...lines, "content-length", String(Buffer.byteLength(body))] : [...lines];
  if (!isCut) {
    outgoing.writeHead(status, all).end(body);
    return;
  }
  all.push("connection", "close");
  outgoing.writeHead(status, all).write(body);
  await letGo(incoming);
  outgoing.end();
}

/** True when the body ended within the bounds. */
export function letGo(incoming: IncomingMessage): Promise<boolean> {
  if (incoming.readableEnded || incoming.destroyed) return Promise.resolve(incoming.readableEnded);
  return new Promise((resolve) => {
    let length = 0;
    const timer = setTimeout(() => finish(false), LET_GO_MS_MAX);
    const onData = (bytes: Buffer) => {
      length += bytes.length;
      if (length > LET_GO_BYTES_MAX) finish(false);
    };
    const onEnd = () => finish(true);
    const onClose = () => finish(incoming.readableEnded);
    function finish(isWholeBody: boolean): void {
      clearTimeout(timer);
      incoming.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      resolve(isWholeBody);
    }
    incoming.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose).resume();
  });
}

/** A body that came in one packet with its request is complete when that packet has been read, one turn later. */
async function isWhole(incoming: IncomingMessage): Promise<boolean> {
  if (!incoming.complete) await new Promise((resolve) => setImmediate(resolve));
  return incoming.complete;
}

async function readAnswer(response: Response): Promise<PlainAnswer> {
  return { status: response.status, lines: [...response.headers].flat(), body: await response.text() };
}

const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

/** RFC 9110, 8.6. */
function hasLength(status: number): boolean {
  return status !== NO_CONTENT && status !== NOT_MODIFIED;
}
