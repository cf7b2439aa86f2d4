import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { refuseUpgrade } from "../../accounts/admission/admit-upgrade.ts";
import { writeAnswer } from "../../api/http-exchange.ts";
import type { StreamResponse } from "./stream-connection.ts";

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  // A proxy that buffers would hold the messages back.
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
};

export function streamOnResponse(outgoing: ServerResponse): StreamResponse {
  return {
    refuse: (response) => void writeAnswer({ incoming: outgoing.req, outgoing }, response),
    begin: () => void outgoing.writeHead(200, HEADERS).flushHeaders(),
    write: (bytes) => void outgoing.write(bytes),
    unsentBytes: () => outgoing.writableLength + (outgoing.socket?.writableLength ?? 0),
    end: () => void outgoing.end(),
    destroy: () => void outgoing.destroy(),
    onClose: (run) => void outgoing.once("close", run),
  };
}

/** A connection whose request was read by another process. It is not used again, so the body needs no framing. */
export function streamOnSocket(socket: Duplex): StreamResponse {
  socket.on("error", () => {});
  // The client has nothing to say; its end is noticed.
  socket.resume();
  return {
    refuse: (response) => void refuseUpgrade(socket, response),
    begin() {
      const lines = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`HTTP/1.1 200 ${STATUS_CODES[200]}\r\n${lines.join("")}connection: close\r\n\r\n`);
    },
    write: (bytes) => void socket.write(bytes),
    unsentBytes: () => socket.writableLength,
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    onClose: (run) => void socket.once("close", run),
  };
}
