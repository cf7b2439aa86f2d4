import type { IncomingMessage } from "node:http";
import { fail, ok } from "../../shared/result.ts";
import { ClientLeft, type ReadBody } from "./api-request.ts";

const NO_BODY: ReadBody = ok(Buffer.alloc(0));

/** RFC 9112, 6.3: without either header a request has no body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

/**
 * The body straight from the socket, up to a bound: a web stream in between costs more than the rest of the reading. A body that is told
 * to be larger is not read at all; whoever answers closes the connection (`write-answer.ts`). How long it may take is the server's to say.
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
