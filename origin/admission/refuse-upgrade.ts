import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** Says no to a WebSocket handshake with the answer that a request would get, and closes. */
export async function refuseUpgrade(socket: Duplex, response: Response): Promise<void> {
  const body = await response.text();
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const statusLine = `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ""}`;
  socket.once("finish", () => socket.destroy());
  socket.end(`${statusLine}\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
}
