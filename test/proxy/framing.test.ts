import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { EDGE_RUNTIME } from "../../kit/start-edge.ts";
import { edgeBeforeOrigin } from "./edge-before-origin.ts";
import { rawGet, sendRaw } from "./raw-http.ts";

const { edge, origin } = await edgeBeforeOrigin();
const HOST = "Host: shop.test\r\n";

async function expectRefused(text: string): Promise<void> {
  const response = await sendRaw(edge.port, text);
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(origin.requests).toEqual([]);
}

describe("a request whose framing can be read in two ways", () => {
  it("is refused: Content-Length together with Transfer-Encoding", async () => {
    const text = `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
    const response = await sendRaw(edge.port, text);
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body.toString()).code).toBe("request_ambiguous");
    expect(origin.requests).toEqual([]);
  });

  it.each([
    ["two Content-Lengths", `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ["the same Content-Length twice", `POST / HTTP/1.1\r\n${HOST}Content-Length: 2\r\nContent-Length: 2\r\n\r\nab`],
    ["a Content-Length list", `POST / HTTP/1.1\r\n${HOST}Content-Length: 2, 2\r\n\r\nab`],
    ["a signed Content-Length", `POST / HTTP/1.1\r\n${HOST}Content-Length: +2\r\n\r\nab`],
    ["a negative Content-Length", `POST / HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`],
    ["a Content-Length in hex", `POST / HTTP/1.1\r\n${HOST}Content-Length: 0x2\r\n\r\nab`],
    ["two Hosts", "GET / HTTP/1.1\r\nHost: shop.test\r\nHost: other.test\r\n\r\n"],
    ["no Host", "GET / HTTP/1.1\r\n\r\n"],
    ["an empty Host", "GET / HTTP/1.1\r\nHost: \r\n\r\n"],
    ["a Host that is no host", "GET / HTTP/1.1\r\nHost: a@b/c?d\r\n\r\n"],
    ["a Host that no URL parser takes", "GET / HTTP/1.1\r\nHost: 1.2.3.4.5\r\n\r\n"],
    ["a folded header", `GET / HTTP/1.1\r\n${HOST}A: 1\r\n b\r\n\r\n`],
    ["a space before the colon", `GET / HTTP/1.1\r\n${HOST}X-A : 1\r\n\r\n`],
    ["a control character in a value", `GET / HTTP/1.1\r\n${HOST}X-A: a\x00b\r\n\r\n`],
    ["an unknown transfer coding", `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    [
      "chunked, twice",
      `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["a chunked GET", `GET / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`],
    ["an unknown method", `FOO / HTTP/1.1\r\n${HOST}\r\n`],
    ["a lower-case method", `get / HTTP/1.1\r\n${HOST}\r\n`],
  ])("is refused: %s", (_what, text) => expectRefused(text));

  it.each(["TRACE / HTTP/1.1", "CONNECT shop.test:80 HTTP/1.1"])("is refused: %s", async (line) => {
    const response = await sendRaw(edge.port, `${line}\r\n${HOST}Cookie: a=secret\r\n\r\n`);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.body.toString()).not.toContain("secret");
    expect(origin.requests).toEqual([]);
    if (!line.startsWith("TRACE")) return;
    expect(response.status).toBe(405);
    expect(JSON.parse(response.body.toString()).code).toBe("method_not_allowed");
    expect(response.headers.get("allow")).toEqual(["GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"]);
  });

  it("is read in one way when lines end in a bare LF, and no header slips through", async () => {
    const response = await sendRaw(
      edge.port,
      "GET /lf HTTP/1.1\nHost: shop.test\nX-Sluice-Pass: forged\nX-Kept: 1\n\n",
    );
    if (EDGE_RUNTIME === "node") {
      expect(response.status).toBe(400);
      expect(origin.requests).toEqual([]);
      return;
    }
    expect(response.status).toBe(200);
    expect(origin.requests.map(({ url }) => url)).toEqual(["/lf"]);
    expect(origin.requests[0]?.headers.get("x-kept")).toEqual(["1"]);
    expect(origin.requests[0]?.headers.has("x-sluice-pass")).toBe(false);
  });
});

describe("a request body", () => {
  it.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("reaches the origin with its length: %s", async (method) => {
    const response = await sendRaw(edge.port, `${method} /b HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc`);
    expect(response.status).toBe(200);
    expect(origin.requests[0]?.method).toBe(method);
    expect(origin.requests[0]?.body.toString()).toBe("abc");
    expect(origin.requests[0]?.headers.get("content-length")).toEqual(["3"]);
    expect(origin.requests[0]?.headers.has("transfer-encoding")).toBe(false);
  });

  it("reaches the origin chunked when it came chunked", async () => {
    await sendRaw(
      edge.port,
      `POST /b HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`,
    );
    expect(origin.requests[0]?.body.toString()).toBe("abcde");
    expect(origin.requests[0]?.headers.get("transfer-encoding")).toEqual(["chunked"]);
    expect(origin.requests[0]?.headers.has("content-length")).toBe(false);
  });

  it.each(["0", "2"])("of a GET travels as well: %s bytes", async (length) => {
    const response = await sendRaw(
      edge.port,
      `GET /g?q=%zz HTTP/1.1\r\n${HOST}Content-Length: ${length}\r\n\r\n${"ab".slice(0, Number(length))}`,
    );
    expect(response.status).toBe(200);
    expect(origin.requests[0]?.url).toBe("/g?q=%zz");
    expect(origin.requests[0]?.body.toString()).toBe("ab".slice(0, Number(length)));
  });

  it("of a GET is never lost: where it cannot travel, the request is refused", async () => {
    const text = `GET /%61 HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\nab`;
    if (EDGE_RUNTIME === "worker") return expectRefused(text);
    expect((await sendRaw(edge.port, text)).status).toBe(200);
    expect(origin.requests.map(({ url, body }) => [url, body.toString()])).toEqual([["/a", "ab"]]);
  });

  it("travels with a query that only the request itself can carry", async () => {
    await sendRaw(edge.port, `POST /q?a=it's HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc`);
    expect(origin.requests[0]?.url).toBe("/q?a=it's");
    expect(origin.requests[0]?.body.toString()).toBe("abc");
  });

  it.each(["POST", "PUT", "DELETE"])("may be empty: %s", async (method) => {
    expect((await sendRaw(edge.port, `${method} /e HTTP/1.1\r\n${HOST}Content-Length: 0\r\n\r\n`)).status).toBe(200);
    expect(origin.requests[0]?.method).toBe(method);
    expect(origin.requests[0]?.body).toHaveLength(0);
  });

  it("that is a gzip bomb stays as small as it came", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const head = `POST /z HTTP/1.1\r\n${HOST}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
    await sendRaw(edge.port, head + bomb.toString("latin1"));
    expect(origin.requests[0]?.body.equals(bomb)).toBe(true);
    expect(origin.requests[0]?.headers.get("content-encoding")).toEqual(["gzip"]);
  });

  it.each([
    ["is no number", "zz\r\nabc\r\n0\r\n\r\n"],
    ["is past any limit", "ffffffffffffffffff\r\nabc\r\n0\r\n\r\n"],
    // RFC 9112, 7.1.1: unknown extensions are ignored. Node does so, and does not pass them on.
    ...(EDGE_RUNTIME === "worker" ? [["carries an extension", "3;ext=1\r\nabc\r\n0\r\n\r\n"]] : []),
  ])("is never taken for a whole one when its chunk size %s", async (_what, body) => {
    const response = await sendRaw(edge.port, `POST /b HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n${body}`);
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body.toString()).code).toBe("request_ambiguous");
    expect(origin.requests).toEqual([]);
  });
});

describe("a client that sends its headers slowly", () => {
  it("delays no other request, and is served eventually", async () => {
    const slow = connect(edge.port, "127.0.0.1");
    await once(slow, "connect");
    slow.write("GET /slow HTTP/1.1\r\nHost: sh");
    expect((await sendRaw(edge.port, rawGet("/fast"))).status).toBe(200);
    slow.write("op.test\r\nX-A: 1");
    expect((await sendRaw(edge.port, rawGet("/fast"))).status).toBe(200);
    slow.write("\r\n\r\n");
    const [bytes] = (await once(slow, "data")) as [Buffer];
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 200 /);
    slow.destroy();
    expect(origin.requests.map(({ url }) => url)).toEqual(["/fast", "/fast", "/slow"]);
  });
});
