import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { edgeBeforeOrigin } from "./edge-before-origin.ts";
import { type RawResponse, rawGet, sendRaw } from "./raw-http.ts";

const TIMEOUT_MS = 400;
const { edge, origin } = await edgeBeforeOrigin({ ORIGIN_TIMEOUT_MS: String(TIMEOUT_MS) });

function expectProblem(answer: RawResponse, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expect(answer.isComplete).toBe(true);
  expect(answer.headers.get("content-type")).toEqual(["application/problem+json"]);
  expect(answer.headers.get("cache-control")).toEqual(["no-store"]);
  expect(Number(answer.headers.get("retry-after")?.[0])).toBeGreaterThan(0);
  const problem = JSON.parse(answer.body.toString());
  expect(problem).toMatchObject({ code, status, retry: "later" });
  expect(answer.headers.get("x-request-id")).toEqual([problem.requestId]);
}

/** Sends the head of a request and leaves the body to the test. */
async function openUpload(head: string) {
  const socket = connect(edge.port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(`POST /upload HTTP/1.1\r\nHost: shop.test\r\n${head}\r\n\r\n`);
  return socket;
}

describe("an origin that is slow", () => {
  it("gives 504 when it sends no headers in time, and ends the request to it", async () => {
    const closed = new Promise((resolve) => origin.answerWith((request) => request.on("close", resolve)));
    expectProblem(await sendRaw(edge.port, rawGet("/slow")), 504, "origin_timeout");
    await closed;
  });

  it("gives 504 when it has the whole body and does not answer", async () => {
    origin.answerWith((request) => request.resume());
    expectProblem(
      await sendRaw(edge.port, "POST / HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 3\r\n\r\nabc"),
      504,
      "origin_timeout",
    );
  });

  it("gives 504 when it stops reading the body", async () => {
    origin.answerWith((request) => request.pause());
    const piece = "x".repeat(32_000_000);
    const answer = await sendRaw(
      edge.port,
      `POST / HTTP/1.1\r\nHost: shop.test\r\nContent-Length: ${piece.length}\r\n\r\n${piece}`,
    );
    expectProblem(answer, 504, "origin_timeout");
  });

  it("may take as long as it likes for the body, once its headers are there", async () => {
    origin.answerWith((_request, response) => {
      response.writeHead(200, { "content-length": "4" });
      response.write("ab");
      setTimeout(() => response.end("cd"), 2 * TIMEOUT_MS);
    });
    const answer = await sendRaw(edge.port, rawGet("/"));
    expect(answer.body.toString()).toBe("abcd");
    expect(answer.isComplete).toBe(true);
  });
});

describe("an upload that takes longer than the origin's limit", () => {
  it("is not cut while the client sends, not even after a pause longer than the limit", async () => {
    const socket = await openUpload("Content-Length: 6");
    for (const piece of ["ab", "cd", "ef"]) {
      await sleep(TIMEOUT_MS * 1.5);
      socket.write(piece);
    }
    const [bytes] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 200 /);
    expect(origin.requests[0]?.body.toString()).toBe("abcdef");
  });

  it("is answered at once when the origin answers early", async () => {
    origin.answerWith((_request, response) => response.writeHead(413).end("too large"));
    const socket = await openUpload("Content-Length: 1000000");
    socket.write("abc");
    const [bytes] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe("an origin that fails", () => {
  it.each<[string, (request: IncomingMessage) => void]>([
    ["resets the connection", (request) => request.socket.resetAndDestroy()],
    ["closes the connection without an answer", (request) => request.socket.end()],
    ["breaks off in its headers", (request) => request.socket.end("HTTP/1.1 200 OK\r\nX-A: ")],
    ["does not speak HTTP", (request) => request.socket.end("SSH-2.0-OpenSSH_9.2\r\n\r\n")],
    [
      "says two lengths",
      (request) => request.socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
    ],
    [
      "answers with an interim status, which workerd takes for the last",
      (request) => request.socket.end("HTTP/1.1 103 Early Hints\r\n\r\n"),
    ],
    [
      "answers with a status that does not exist",
      (request) => request.socket.end("HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"),
    ],
    [
      "switches protocols unasked",
      (request) => request.socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"),
    ],
  ])("gives 502 when it %s", async (_what, answer) => {
    origin.answerWith((request) => answer(request));
    expectProblem(await sendRaw(edge.port, rawGet("/")), 502, "origin_unreachable");
  });

  it("gives a broken answer, not a short one, when it dies in the middle of a body", async () => {
    origin.answerWith((request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("partial", () => request.socket.resetAndDestroy());
    });
    const answer = await sendRaw(edge.port, rawGet("/"));
    expect(answer.status).toBe(200);
    expect(answer.isComplete).toBe(false);
  });

  it("gives 502 when it is down, and its own answers again when it is back", async () => {
    const { port } = origin;
    await origin.stop();
    expectProblem(await sendRaw(edge.port, rawGet("/")), 502, "origin_unreachable");
    expectProblem(
      await sendRaw(edge.port, "POST / HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 3\r\n\r\nabc"),
      502,
      "origin_unreachable",
    );
    await origin.start(port);
    expect((await sendRaw(edge.port, rawGet("/"))).status).toBe(200);
  });
});
