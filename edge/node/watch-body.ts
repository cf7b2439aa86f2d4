import { WINDOW_BYTES_MIN, WINDOWS_MAX } from "../proxy/body-pace.ts";
import type { NodeRequest } from "./node-request.ts";
import { refuseSocket } from "./refuse-socket.ts";

/**
 * The pace of a body (`edge/proxy/body-pace.ts`), whoever reads it. The socket counts the bytes, so nothing is put between it and the
 * reader. A window in which the reader has stopped taking bytes is not the client's.
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
