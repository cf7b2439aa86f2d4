import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** A server that is silent for this long will not send a snapshot. */
const SILENCE_MS_MAX = 60_000;
const HEADER_BYTES_MAX = 4_096;

/**
 * Fetches the server's snapshot (RDB) as a replica does: consistent, without access to its disk. Throws
 * `SnapshotRefused` if the server refuses.
 */
export async function fetchSnapshot(url: string, path: string): Promise<void> {
  const { hostname, port, username, password, protocol } = new URL(url);
  const address = { host: hostname, port: Number(port === "" ? 6379 : port) };
  const socket = protocol === "rediss:" ? connectTls({ ...address, servername: hostname }) : connect(address);
  socket.setTimeout(SILENCE_MS_MAX, () =>
    socket.destroy(new Error("The venue's Redis did not send its snapshot in time.")),
  );
  try {
    if (password !== "")
      await signIn(socket, [...(username === "" ? [] : [decodeURIComponent(username)]), decodeURIComponent(password)]);
    socket.write(command("SYNC"));
    await saveSnapshot(socket, path);
  } finally {
    socket.destroy();
  }
}

/** A hosted server may not allow SYNC. */
export class SnapshotRefused extends Error {
  override readonly name = "SnapshotRefused";
}

/** In a round trip of its own: a server with a pending reply refuses SYNC. */
async function signIn(socket: Socket, credentials: readonly string[]): Promise<void> {
  socket.write(command("AUTH", ...credentials));
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.pause();
  startOf(answer);
}

function command(...words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;
}

/** Lines come first (empty ones while the server prepares), then the length, then that many bytes. */
async function saveSnapshot(socket: Socket, path: string): Promise<void> {
  const file = createWriteStream(path, { mode: 0o600 });
  let header: Buffer = Buffer.alloc(0);
  let left: number | undefined;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    let bytes = chunk;
    if (left === undefined) {
      header = Buffer.concat([header, chunk]);
      const start = startOf(header);
      if (start === undefined) continue;
      left = start.length;
      bytes = header.subarray(start.at);
    }
    const part = bytes.subarray(0, left);
    if (!file.write(part)) await once(file, "drain");
    left -= part.length;
    if (left === 0) break;
  }
  file.end();
  await once(file, "finish");
  if (left !== 0) throw new Error("The venue's Redis closed the connection before the end of its snapshot.");
}

/** The offset and length of the snapshot; undefined until the server has sent them. */
function startOf(header: Buffer): { readonly length: number; readonly at: number } | undefined {
  // Only the first match counts: the snapshot itself may contain text that looks like an error.
  const told = /^(?:-([^\r\n]*)|\$(\d+))\r\n/m.exec(header.toString("latin1"));
  if (told?.[1] !== undefined) throw new SnapshotRefused(`The venue's Redis refuses its snapshot: ${told[1]}`);
  if (told !== null) return { length: Number(told[2]), at: told.index + told[0].length };
  if (header.length > HEADER_BYTES_MAX) throw new Error("The venue's Redis sent an unknown answer to SYNC.");
  return undefined;
}
