import type { Duplex } from "node:stream";
import type { ErrorCode } from "../../shared/errors.ts";
import { TARGET_LENGTH_MAX } from "../proxy/plain-target.ts";
import type { NodeRequest } from "./node-request.ts";
import { refuseSocket } from "./refuse-socket.ts";

type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

type Connection = {
  readonly socket: Duplex;
  /** The request that was last read from it, if any. */
  readonly latest: NodeRequest | undefined;
};

/**
 * Bytes that are no request, or a request whose body is not framed as it said. A client that is still there is told, once;
 * never in the middle of another answer.
 */
export function answerBrokenRequest(error: ParseError, { socket, latest }: Connection): void {
  if (answered.has(socket)) return;
  answered.add(socket);
  const code = codeOf(error);
  const pending = latest?.outgoing.writableFinished === false ? latest : undefined;
  if (code === undefined || !socket.writable || (pending?.outgoing.headersSent && !pending.incoming.complete)) socket.destroy();
  // A whole request came before, and its answer is on the way: what is broken is the next one, which nobody will miss.
  else if (pending?.incoming.complete) pending.outgoing.once("finish", () => socket.end());
  else void refuseSocket(socket, code);
}

const answered = new WeakSet<Duplex>();

/** A request line whose target is past what `plainTarget` takes. */
const LONG_REQUEST_LINE = new RegExp(`^[A-Z]+ /[^\\s]{${TARGET_LENGTH_MAX}}`);

/** Undefined when nobody is there to be told. */
function codeOf({ code, rawPacket }: ParseError): ErrorCode | undefined {
  if (code === "HPE_INVALID_URL") return "path_not_plain";
  if (code === "HPE_HEADER_OVERFLOW") return isLongTarget(rawPacket) ? "url_too_long" : "headers_too_large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request_timeout";
  return code?.startsWith("HPE_") ? "request_ambiguous" : undefined;
}

function isLongTarget(packet: Buffer | undefined): boolean {
  return packet !== undefined && LONG_REQUEST_LINE.test(packet.toString("latin1", 0, 2 * TARGET_LENGTH_MAX));
}
