import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { startGateStack } from "../gate/gate-stack.ts";
import { type RawResponse, rawGet, sendRaw } from "./raw-http.ts";

const stack = await startGateStack({ variables: { SLUICE_ADMIN_TOKEN: "an-operator-of-this-test" } });
const { origin } = stack;
await stack.setQueue("shop");
await stack.setQueue("wait", { mode: "paused" });
const port = stack.edges[0]?.port ?? 0;
const HOST = "Host: shop.test\r\n";
const MEGABYTE = 1_000_000;

const codeOf = ({ body }: RawResponse) => (JSON.parse(body.toString()) as { code?: string }).code;
const names = (count: number) => Array.from({ length: count }, (_, index) => `a${index}: 1`);

describe("the number of headers", () => {
  it("may be 100 with those of the standards, and everything that the edge adds arrives", async () => {
    origin.reset();
    expect((await sendRaw(port, rawGet("/shop/", names(98)))).status).toBe(200);
    const [seen] = origin.requests;
    expect(seen?.headers.has("a97")).toBe(true);
    for (const name of ["x-sluice-pass", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-request-id"]) {
      expect(seen?.headers.get(name)).toHaveLength(1);
    }
  });

  it.each([100, 500, 1_000, 3_000])("beyond that gets 431: %i more", async (count) => {
    origin.reset();
    for (const path of ["/shop/", "/free", "/_sluice/jwks.json"]) {
      const answer = await sendRaw(port, rawGet(path, names(count)));
      expect([answer.status, codeOf(answer)]).toEqual([431, "headers_too_large"]);
    }
    expect(origin.requests).toEqual([]);
  });
});

describe("a Content-Length that no body can have", () => {
  it.each(["99999999999999999999", "18446744073709551615", "9223372036854775807", "9007199254740993"])(
    "gets 400: %s",
    async (length) => {
      origin.reset();
      for (const line of ["POST /free", "GET /free", "POST /_sluice/queues/shop/enter", "POST /wait/"]) {
        const answer = await sendRaw(port, `${line} HTTP/1.1\r\n${HOST}Content-Length: ${length}\r\n\r\nabc`);
        expect([line, answer.status, codeOf(answer)]).toEqual([line, 400, "request_ambiguous"]);
      }
      expect(origin.requests).toEqual([]);
    },
  );
});

/** Sends all of it, whatever comes back meanwhile, as most clients do. */
function sendWhole(head: string, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect({ host: "127.0.0.1", port }, () => socket.write(Buffer.concat([Buffer.from(head), body])));
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      if (!received.includes("\r\n\r\n") || socket.writableLength > 0) return;
      socket.destroy();
      resolve(received);
    });
    socket.on("drain", () => received.includes("\r\n\r\n") && resolve(received));
    socket.on("error", (error) =>
      reject(new Error(`${error.message} after ${socket.bytesWritten} bytes; received: ${received}`)),
    );
    socket.on("close", () => resolve(received));
  });
}

const chunked = (bytes: number) =>
  Buffer.concat([Buffer.from(`${bytes.toString(16)}\r\n`), Buffer.alloc(bytes, 97), Buffer.from("\r\n0\r\n\r\n")]);

describe("a large body that is not read", () => {
  it.each([
    ["enter", "POST /_sluice/queues/shop/enter", " 413 "],
    ["heartbeat", "POST /_sluice/queues/shop/heartbeat", " 401 "],
    ["a path that is not plain", "POST /a//b", " 400 "],
    ["a page with a line before it", "POST /wait/", " 503 "],
    ["the operator API without a token", "POST /_sluice/admin/queues", " 401 "],
  ])("does not lose the answer: %s", async (_what, line, status) => {
    const head = `${line} HTTP/1.1\r\n${HOST}Accept: application/json\r\nContent-Type: application/json\r\n`;
    const sized = await sendWhole(`${head}Content-Length: ${5 * MEGABYTE}\r\n\r\n`, Buffer.alloc(5 * MEGABYTE, 97));
    expect(sized.slice(0, 40)).toContain(status);
    const unsized = await sendWhole(`${head}Transfer-Encoding: chunked\r\n\r\n`, chunked(5 * MEGABYTE));
    expect(unsized.slice(0, 40)).toContain(status);
  });
});

describe("a request with Content-Length and Transfer-Encoding", () => {
  it.each(["POST /free", "GET /free", "POST /_sluice/queues/shop/enter"])(
    "is the last one on its connection: %s",
    async (line) => {
      origin.reset();
      const text = `${line} HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${rawGet("/second")}`;
      const received = await new Promise<string>((resolve, reject) => {
        let all = "";
        const socket = connect({ host: "127.0.0.1", port, timeout: 5_000 }, () => socket.write(text));
        socket.on("data", (bytes) => (all += bytes.toString("latin1")));
        socket.on("timeout", () => socket.destroy(new Error(`still open after: ${all}`)));
        socket.on("error", reject);
        socket.on("close", () => resolve(all));
      });
      expect(received).toMatch(/^HTTP\/1\.1 400 /);
      expect(received).toContain('"code":"request_ambiguous"');
      expect(received).toMatch(/\}$/);
      expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
      expect(origin.requests).toEqual([]);
    },
  );
});
