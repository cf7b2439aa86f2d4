import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type ErrorCode, problemResponse } from "../../shared/errors.ts";
import { newId, systemRandom } from "../../shared/ids.ts";

/** How long a client that sends what cannot be read has to take the answer. */
const LAST_WORDS_MS_MAX = 500;

/** Answers on a socket where no request could be made of the bytes, and closes it. */
export async function refuseSocket(socket: Duplex, code: ErrorCode, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const response = problemResponse(code, { requestId: newId(systemRandom), headers });
  const body = await response.text();
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`, ...lines, `content-length: ${Buffer.byteLength(body)}`];
  if (!socket.writable) return;
  socket.end(`${[...head, "connection: close"].join("\r\n")}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LAST_WORDS_MS_MAX).unref();
}
