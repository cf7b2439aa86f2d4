import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { edgeBeforeOrigin } from "./edge-before-origin.ts";
import { rawGet, sendRaw } from "./raw-http.ts";

const { edge, origin } = await edgeBeforeOrigin();

/** Answers with these bytes and nothing that Node would add. */
function answerRaw(text: string): void {
  origin.answerWith((request) => request.socket.end(Buffer.from(text, "latin1")));
}

describe("an answer of the origin", () => {
  it.each([200, 201, 202, 206, 226, 400, 401, 404, 409, 418, 429, 451, 500, 502, 503, 599])(
    "keeps its status %d and its body",
    async (status) => {
      origin.answerWith((_request, response) => response.writeHead(status, { "x-kept": "1" }).end(`body of ${status}`));
      const answer = await sendRaw(edge.port, rawGet("/"));
      expect(answer.status).toBe(status);
      expect(answer.body.toString()).toBe(`body of ${status}`);
      expect(answer.headers.get("x-kept")).toEqual(["1"]);
    },
  );

  it.each([204, 304])("without a body has none: %d", async (status) => {
    origin.answerWith((_request, response) => response.writeHead(status, { etag: '"v1"', "x-kept": "1" }).end());
    const answer = await sendRaw(edge.port, rawGet("/"));
    expect(answer.status).toBe(status);
    expect(answer.body).toHaveLength(0);
    expect(answer.headers.get("etag")).toEqual(['"v1"']);
    expect(answer.headers.has("transfer-encoding")).toBe(false);
  });

  it.each([400, 404, 500, 503])(
    "that is an error carries the id under which the origin knows the request: %d",
    async (status) => {
      let known: unknown;
      origin.answerWith((request, response) => {
        known = request.headers["x-request-id"];
        response.writeHead(status, { "x-request-id": "of-the-origin" }).end("no");
      });
      const answer = await sendRaw(edge.port, rawGet("/"));
      expect(answer.body.toString()).toBe("no");
      expect(answer.headers.get("x-request-id")).toEqual([known]);
    },
  );

  it("may ask for the form to be reset: 205", async () => {
    origin.answerWith((_request, response) => response.writeHead(205, { "content-length": "0" }).end());
    expect((await sendRaw(edge.port, rawGet("/"))).status).toBe(205);
  });

  it("to HEAD keeps the length of the body that a GET would have had", async () => {
    origin.answerWith((_request, response) =>
      response.writeHead(200, { "content-length": "1234", "content-type": "text/plain" }).end(),
    );
    const answer = await sendRaw(edge.port, "HEAD /h HTTP/1.1\r\nHost: shop.test\r\n\r\n");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-length")).toEqual(["1234"]);
    expect(answer.headers.get("content-type")).toEqual(["text/plain"]);
    expect(answer.body).toHaveLength(0);
  });

  it("to HEAD is asked for by HEAD", async () => {
    await sendRaw(edge.port, "HEAD /h HTTP/1.1\r\nHost: shop.test\r\n\r\n");
    expect(origin.requests.map(({ method }) => method)).toEqual(["HEAD"]);
  });

  it("to OPTIONS is the origin's own", async () => {
    origin.answerWith((request, response) =>
      response
        .writeHead(204, { allow: "GET, OPTIONS", "access-control-allow-origin": request.headers.origin ?? "" })
        .end(),
    );
    const answer = await sendRaw(edge.port, "OPTIONS /o HTTP/1.1\r\nHost: shop.test\r\nOrigin: https://a.test\r\n\r\n");
    expect(answer.status).toBe(204);
    expect(answer.headers.get("allow")).toEqual(["GET, OPTIONS"]);
    expect(answer.headers.get("access-control-allow-origin")).toEqual(["https://a.test"]);
  });

  it.each([301, 302, 303, 307, 308])("that redirects is passed on and never followed: %d", async (status) => {
    let asked = 0;
    const location = `http://${origin.address}/elsewhere?a=%zz`;
    origin.answerWith((_request, response) => {
      asked++;
      response.writeHead(status, { location }).end();
    });
    const answer = await sendRaw(edge.port, rawGet("/"));
    expect(answer.status).toBe(status);
    expect(answer.headers.get("location")).toEqual([location]);
    expect(asked).toBe(1);
  });

  it("keeps several cookies apart", async () => {
    const cookies = ["a=1; Path=/; HttpOnly", "b=2; Expires=Thu, 01 Jan 2026 00:00:00 GMT", "c=3, 4"];
    origin.answerWith((_request, response) => response.writeHead(200, { "set-cookie": cookies }).end("ok"));
    expect((await sendRaw(edge.port, rawGet("/"))).headers.get("set-cookie")).toEqual(cookies);
  });

  it.each([
    ["gzip", gzipSync("sluice ".repeat(1_000))],
    ["br", brotliCompressSync("sluice ".repeat(1_000))],
    ["zstd", zstdCompressSync("sluice ".repeat(1_000))],
    ["deflate", deflateSync("sluice ".repeat(1_000))],
    ["gzip, br", brotliCompressSync(gzipSync("sluice ".repeat(1_000)))],
    ["gzip", Buffer.from("not gzip at all")],
  ])("that is compressed passes byte for byte: %s", async (coding, bytes) => {
    for (const headers of [{ "content-length": String(bytes.length) }, { "transfer-encoding": "chunked" }]) {
      origin.answerWith((_request, response) =>
        response.writeHead(200, { "content-encoding": coding, ...headers }).end(bytes),
      );
      const answer = await sendRaw(edge.port, rawGet("/", ["Accept-Encoding: gzip, br, zstd"]));
      expect(answer.headers.get("content-encoding")).toEqual([coding]);
      expect(answer.body.equals(bytes)).toBe(true);
      expect(answer.isComplete).toBe(true);
      if ("content-length" in headers) expect(answer.headers.get("content-length")).toEqual([String(bytes.length)]);
    }
  });

  it("of a client that takes no compression stays uncompressed", async () => {
    origin.answerWith((_request, response) => response.end("plain"));
    const answer = await sendRaw(edge.port, rawGet("/", ["Accept-Encoding: identity"]));
    expect(answer.headers.has("content-encoding")).toBe(false);
    expect(answer.body.toString()).toBe("plain");
  });

  it("keeps to itself what is between the origin and the edge", async () => {
    answerRaw(
      [
        "HTTP/1.1 200 OK",
        "Connection: close, x-private",
        "X-Private: 1",
        "Keep-Alive: timeout=5",
        "Proxy-Authenticate: Basic",
        "Proxy-Connection: close",
        "Trailer: x-sum",
        "Upgrade: h2c",
        "X-Sluice-Command: revoke",
        "x-sluice-anything: 1",
        "X-Request-Id: of-the-origin",
        "X-Kept: 1",
        "Content-Length: 2",
        "",
        "ok",
      ].join("\r\n"),
    );
    const answer = await sendRaw(edge.port, rawGet("/"));
    expect(answer.body.toString()).toBe("ok");
    const names = [...answer.headers.keys()].filter((name) => name !== "date").sort();
    expect(names).toEqual(["content-length", "x-kept", "x-request-id"]);
    expect(answer.headers.get("x-request-id")?.[0]).toMatch(/^[\w-]{22}$/);
  });

  it("cannot take the body's own description away from the client", async () => {
    answerRaw(
      "HTTP/1.1 200 OK\r\nConnection: close, content-type, set-cookie\r\nContent-Type: text/plain\r\nSet-Cookie: a=1\r\nContent-Length: 2\r\n\r\nok",
    );
    const answer = await sendRaw(edge.port, rawGet("/"));
    expect(answer.headers.get("content-type")).toEqual(["text/plain"]);
    expect(answer.headers.get("set-cookie")).toEqual(["a=1"]);
  });

  it("keeps every other header, also twice and with odd bytes", async () => {
    answerRaw(
      "HTTP/1.1 200 Fine\r\nVary: accept\r\nVary: origin\r\nX-Bytes: caf\xe9\r\nServer: odd/1\r\nContent-Length: 0\r\n\r\n",
    );
    const answer = await sendRaw(edge.port, rawGet("/"));
    expect(answer.headers.get("vary")?.join(", ")).toBe("accept, origin");
    expect(answer.headers.get("x-bytes")).toEqual(["caf\xe9"]);
    expect(answer.headers.get("server")).toEqual(["odd/1"]);
  });
});
