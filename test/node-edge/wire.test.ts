import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { startHttpServer } from "../../edge/node/http-server.ts";
import { steadyNowMs } from "../../kit/steady-clock.ts";
import { rawGet, sendRaw } from "../proxy/raw-http.ts";

const HEAD_MS_MAX = 400;

/** The requests to the app, in order. */
const asked: string[] = [];

const server = await startHttpServer({
  port: 0,
  headMsMax: HEAD_MS_MAX,
  bindings: {},
  app: { fetch: answer },
});
afterAll(() => server.stop());

async function answer(request: Request): Promise<Response> {
  asked.push(request.url);
  if (request.url.endsWith("/refused")) return new Response("no", { status: 403 });
  if (request.url.endsWith("/stream")) return new Response(slowPieces());
  if (request.url.endsWith("/fails")) throw new Error("on purpose");
  let bytes = 0;
  for await (const piece of request.body ?? []) {
    bytes += piece.length;
    if (request.url.endsWith("/enough")) break;
  }
  return Response.json({ bytes, method: request.method, host: request.headers.get("host") });
}

function slowPieces(): ReadableStream<Uint8Array> {
  const pieces = ["first ", "second ", "third"];
  return new ReadableStream({
    async pull(controller) {
      const piece = pieces.shift();
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (piece === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(piece));
    },
  });
}

/** Everything that comes back until the other side closes. */
async function exchange(text: string): Promise<string> {
  const socket = connect(server.port, "127.0.0.1");
  socket.write(text);
  let received = "";
  socket.on("data", (bytes) => (received += bytes.toString("latin1")));
  await once(socket, "close");
  return received;
}

function codeOf(answer: { readonly body: Buffer }): unknown {
  return JSON.parse(answer.body.toString()).code;
}

describe("a client of the edge on Node", () => {
  it("that does not finish its headers is told so, and let go", async () => {
    const startedAt = steadyNowMs();
    const answer = await exchange("GET / HTTP/1.1\r\nHost: sh");
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
    expect(steadyNowMs() - startedAt).toBeLessThan(10 * HEAD_MS_MAX);
  });

  it("may take longer than that for a body", async () => {
    const socket = connect(server.port, "127.0.0.1");
    socket.write("POST /slow HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 4\r\n\r\nab");
    await new Promise((resolve) => setTimeout(resolve, 3 * HEAD_MS_MAX));
    socket.write("cd");
    const [bytes] = (await once(socket, "data")) as [Buffer];
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 200 [\s\S]*"bytes":4/);
    socket.destroy();
  });

  it("with headers past any use is refused, and the target is not blamed for it", async () => {
    const answer = await sendRaw(server.port, rawGet("/", [`X-A: ${"a".repeat(40_000)}`]));
    expect([answer.status, codeOf(answer)]).toEqual([431, "headers_too_large"]);
    const target = await sendRaw(server.port, rawGet(`/${"a".repeat(40_000)}`));
    expect([target.status, codeOf(target)]).toEqual([414, "url_too_long"]);
  });

  it("that sends a request and then something else gets its answer, and nothing else", async () => {
    const received = await exchange("GET /good HTTP/1.1\r\nHost: shop.test\r\n\r\nnot a request at all\r\n\r\n");
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
  });

  it("may send two requests at once and gets two answers in order", async () => {
    const two = `${rawGet("/one")}GET /refused HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n`;
    expect((await exchange(two)).match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 403"]);
  });

  it("cannot switch protocols in the middle of another answer", async () => {
    const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
    for (const second of [
      `GET /ws HTTP/1.1\r\nHost: shop.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n`,
      "CONNECT shop.test:80 HTTP/1.1\r\nHost: shop.test\r\n\r\n",
    ]) {
      expect(await exchange(rawGet("/stream") + second)).not.toMatch(/ 101 | 405 /);
    }
    expect((await sendRaw(server.port, rawGet("/plain"))).status).toBe(200);
  });

  it("that expects 100 Continue gets it only when the body is read", async () => {
    const head = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`;
    expect((await sendRaw(server.port, head("/refused"))).status).toBe(403);
    const socket = connect(server.port, "127.0.0.1");
    socket.write(head("/read"));
    const [sign] = (await once(socket, "data")) as [Buffer];
    expect(sign.toString()).toMatch(/^HTTP\/1\.1 100 /);
    socket.write("ab");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 [\s\S]*"bytes":2/);
  });

  it("still sending when it has its answer can read the answer", async () => {
    const upload = httpRequest({ port: server.port, host: "127.0.0.1", method: "POST", path: "/enough", agent: false });
    upload.on("error", () => undefined);
    const answered = once(upload, "response");
    for (let piece = 0; piece < 200; piece++) upload.write(Buffer.alloc(100_000));
    const [response] = await answered;
    expect(response.statusCode).toBe(200);
    expect((await response.toArray()).join("")).toMatch(/"bytes":\d+/);
    upload.destroy();
  });

  it("gets a stream piece by piece, and a plain answer with its length", async () => {
    const streamed = await sendRaw(server.port, rawGet("/stream"));
    expect(streamed.headers.get("transfer-encoding")).toEqual(["chunked"]);
    expect(streamed.body.toString()).toBe("first second third");
    expect((await sendRaw(server.port, rawGet("/plain"))).headers.get("content-length")).toHaveLength(1);
  });

  it("meets no process that ends because an answer failed", async () => {
    await expect(sendRaw(server.port, rawGet("/fails"))).rejects.toThrow("without an answer");
    expect((await sendRaw(server.port, rawGet("/plain"))).status).toBe(200);
  });

  it("asking for another protocol than WebSocket is served in this one", async () => {
    const lines = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"];
    expect((await sendRaw(server.port, rawGet("/h2c", lines))).status).toBe(200);
  });

  it("that speaks HTTP/1.0 and names its host is served, and the connection closed", async () => {
    expect(await exchange("GET /old HTTP/1.0\r\nHost: shop.test\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 200 [\s\S]*"host":"shop\.test"/,
    );
  });
});

describe("the URL that the app sees", () => {
  it.each([
    ["/a/../b?x=%zz", "http://shop.test/a/../b?x=%zz"],
    ["//evil.test/x", "http://shop.test//evil.test/x"],
    ["/\\x", "http://shop.test/\\x"],
    ["http://other.test/abs", "http://shop.test"],
    ["*", "http://shop.test"],
  ])("is the target as it was sent: %s as %s", async (target, url) => {
    asked.length = 0;
    await sendRaw(server.port, rawGet(target));
    expect(asked).toEqual([url]);
  });

  it.each([
    ["two Hosts", "Host: a.test\r\nHost: b.test"],
    ["a Host with a path in it", "Host: a.test/x"],
    ["a Host with a name before it", "Host: user@a.test"],
    ["no Host", "X-A: 1"],
  ])("names no site when there is %s", async (_what, lines) => {
    asked.length = 0;
    await sendRaw(server.port, `GET /x HTTP/1.1\r\n${lines}\r\n\r\n`);
    expect(asked).toEqual(["http:///x"]);
  });
});
