import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { edgeBeforeOrigin } from "./edge-before-origin.ts";

const WINDOW_MS = 400;
const { edge, origin } = await edgeBeforeOrigin({ BODY_TIMEOUT_MS: String(WINDOW_MS) });

const HEAD = "POST /upload HTTP/1.1\r\nHost: shop.test\r\n";
const CHUNKED = "Transfer-Encoding: chunked\r\n\r\n";

/**
 * Sends a head, then a small piece again and again, until the edge closes the connection. Resolves with everything the
 * edge sent.
 */
async function trickle(head: string, piece: string): Promise<string> {
  const socket = connect(edge.port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(head);
  const timer = setInterval(() => socket.write(piece), WINDOW_MS / 10);
  let answer = "";
  socket.on("data", (bytes: Buffer) => {
    clearInterval(timer);
    answer += bytes.toString();
  });
  // A piece that crosses the edge's answer is written into a closed connection.
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(timer);
  return answer;
}

describe("a slow body", () => {
  it.each([
    ["a small one with a length", "Content-Length: 1000\r\n\r\n", "x"],
    ["a large one with a length", "Content-Length: 1000000\r\n\r\n", "x"],
    ["a chunked one", CHUNKED, "1\r\nx\r\n"],
  ])("gets 408, and its connection is closed: %s", async (_what, framing, piece) => {
    origin.answerWith((request, response) => request.on("end", () => response.end("whole")).resume());
    const answer = await trickle(HEAD + framing, piece);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain("request_timeout");
  });

  it("is not one that takes long and keeps coming", async () => {
    let length = 0;
    origin.answerWith((request, response) => {
      request.on("data", (bytes: Buffer) => {
        length += bytes.length;
      });
      request.on("end", () => response.end(`whole ${length}`));
    });
    const socket = connect(edge.port, "127.0.0.1");
    await once(socket, "connect");
    const pieces = 30;
    const piece = "x".repeat(4_000);
    socket.write(`${HEAD}Content-Length: ${pieces * piece.length}\r\nConnection: close\r\n\r\n`);
    let answer = "";
    socket.on("data", (bytes: Buffer) => {
      answer += bytes.toString();
    });
    for (let sent = 0; sent < pieces; sent++) await writeAfterPause(socket, piece);
    await expect.poll(() => answer).toContain(`whole ${pieces * piece.length}`);
    socket.destroy();
  });
});

/** The whole body takes several windows. */
async function writeAfterPause(socket: Socket, piece: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, WINDOW_MS / 10));
  socket.write(piece);
}
