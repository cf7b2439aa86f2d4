import type { IncomingMessage, ServerResponse } from "node:http";
import { hasBody } from "./read-incoming-body.ts";
import { type PlainAnswer, plainAnswer } from "./security-headers.ts";

type Exchange = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse };

/** What is still read of a body that nobody wants, so that its sender comes to see the answer. */
const LET_GO_BYTES_MAX = 16 * 1024 * 1024;
const LET_GO_MS_MAX = 2_000;

/**
 * Writes an answer. Where the request's body has not been read to its end, the answer says `connection: close`, so that no proxy sends
 * another request on a connection that is about to end. The rest of the body is read and dropped for a moment after the answer is out:
 * a socket that is closed with bytes unread is reset, and the client might never see the answer.
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

/** True when the body has come to its end within the bounds. */
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

/** A body that came in one packet with its request is whole when that packet has been read, one turn later. */
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
