import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describe, expect, it, vi } from "vitest";
import { EDGE_RUNTIME } from "../../kit/start-edge.ts";
import { edgeBeforeOrigin } from "./edge-before-origin.ts";
import { rawGet } from "./raw-http.ts";

/** Far longer than any of these tests takes, so that it is never what ends a request here. */
const ORIGIN_TIMEOUT_MS = 20_000;
const { edge, origin } = await edgeBeforeOrigin({ ORIGIN_TIMEOUT_MS: String(ORIGIN_TIMEOUT_MS) });

/**
 * An edge that kept the body would grow by all of it. V8 may take a few dozen megabytes between two collections, and
 * Node a hundred: it checks the buffers outside its heap only after every 64 MB.
 */
const { streamBytes: STREAM_BYTES, growthBytesMax: GROWTH_BYTES_MAX } = {
  worker: { streamBytes: 100_000_000, growthBytesMax: 60_000_000 },
  node: { streamBytes: 200_000_000, growthBytesMax: 130_000_000 },
}[EDGE_RUNTIME];

/** Different bytes at every place, so that a lost, doubled or moved piece changes the hash. */
function* numberedPieces(totalBytes: number): Generator<Buffer> {
  for (let sent = 0, piece = 0; sent < totalBytes; sent += 100_000, piece++) {
    const bytes = Buffer.alloc(100_000, piece & 0xff);
    bytes.writeUInt32BE(piece, 0);
    yield bytes;
  }
}

async function hashOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of stream) hash.update(bytes);
  return hash.digest("hex");
}

const STREAM_HASH = await hashOf(Readable.from(numberedPieces(STREAM_BYTES)));

function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return Number(kilobytes) * 1_024;
}

/** How much the worker's highest memory rose during the task. */
async function growthDuring(task: () => Promise<void>): Promise<number> {
  const before = Math.max(memoryOf(edge.child.pid, "VmHWM"), memoryOf(edge.child.pid, "VmRSS"));
  await task();
  return memoryOf(edge.child.pid, "VmHWM") - before;
}

async function get(path: string): Promise<IncomingMessage> {
  const [response] = (await once(httpRequest(edge.url + path, { agent: false }).end(), "response")) as [
    IncomingMessage,
  ];
  return response;
}

describe(`a body of ${STREAM_BYTES / 1_000_000} MB`, () => {
  it.each([
    ["with a length", { "content-length": String(STREAM_BYTES) }],
    ["chunked", {}],
  ])("comes through unchanged and leaves the edge's memory flat: download %s", async (_what, headers) => {
    origin.answerWith((_request, response) => {
      response.writeHead(200, headers);
      void pipeline(Readable.from(numberedPieces(STREAM_BYTES)), response);
    });
    const growth = await growthDuring(async () => expect(await hashOf(await get("/download"))).toBe(STREAM_HASH));
    expect(growth).toBeLessThan(GROWTH_BYTES_MAX);
  });

  it.each([
    ["with a length", { "content-length": String(STREAM_BYTES) }],
    ["chunked", { "transfer-encoding": "chunked" }],
  ])("comes through unchanged and leaves the edge's memory flat: upload %s", async (_what, headers) => {
    origin.answerWith((request, response) => void hashOf(request).then((hash) => response.end(hash)));
    const growth = await growthDuring(async () => {
      const upload = httpRequest(`${edge.url}/upload`, { method: "POST", headers, agent: false });
      const answered = once(upload, "response") as Promise<[IncomingMessage]>;
      await pipeline(Readable.from(numberedPieces(STREAM_BYTES)), upload);
      const [response] = await answered;
      expect((await response.toArray()).join("")).toBe(STREAM_HASH);
    });
    expect(growth).toBeLessThan(GROWTH_BYTES_MAX);
  });

  it("waits at the origin while the client does not read", async () => {
    let taken = 0;
    const stalled = new Promise<void>((resolve) => {
      origin.answerWith((_request, response) => {
        response.writeHead(200, { "content-length": String(STREAM_BYTES) });
        for (const piece of numberedPieces(STREAM_BYTES / 2)) response.write(piece, () => (taken += piece.length));
        response.socket?.setTimeout(500, () => resolve());
      });
    });
    const growth = await growthDuring(async () => {
      const socket = connect(edge.port, "127.0.0.1").pause();
      socket.write(rawGet("/download"));
      await stalled;
      socket.destroy();
    });
    expect(taken).toBeLessThan(STREAM_BYTES / 2);
    expect(growth).toBeLessThan(GROWTH_BYTES_MAX);
  });
});

describe("a stream of events", () => {
  it("reaches the client event by event: the next one is sent only after the last one was seen", async () => {
    let send: (event: string) => void = () => undefined;
    origin.answerWith((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" }).flushHeaders();
      send = (event) => response.write(`data: ${event}\n\n`);
    });
    const response = await get("/events");
    expect(response.headers["content-type"]).toBe("text/event-stream");
    for (const event of ["1", "2", "3"]) {
      const seen = once(response, "data");
      send(event);
      expect(String((await seen)[0])).toBe(`data: ${event}\n\n`);
    }
    response.destroy();
  });
});

describe("a client that goes away", () => {
  it("before the answer ends the request at the origin", async () => {
    const arrived = new Promise<Promise<unknown>[]>((resolve) => {
      origin.answerWith((_request, response) => resolve([once(response, "close")]));
    });
    const socket = connect(edge.port, "127.0.0.1");
    socket.write(rawGet("/left"));
    const [closed] = await arrived;
    const leftMs = performance.now();
    // A quiet end before the answer is no sign of leaving: a client may close its half and still wait for the answer.
    socket.resetAndDestroy();
    await closed;
    expect(performance.now() - leftMs).toBeLessThan(ORIGIN_TIMEOUT_MS / 2);
  });

  it("in the middle of the answer ends the request at the origin, as soon as there is more to send", async () => {
    const closed = new Promise<void>((resolve) => {
      origin.answerWith((_request, response) => {
        const timer = setInterval(() => response.write("more"), 10);
        response.on("close", () => {
          clearInterval(timer);
          resolve();
        });
      });
    });
    const socket = connect(edge.port, "127.0.0.1");
    socket.write(rawGet("/left"));
    await once(socket, "data");
    socket.destroy();
    await closed;
  });

  it.each([
    ["chunked", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"],
    ["with a length", "Content-Length: 100000\r\n\r\nabc"],
  ])("in the middle of an upload leaves no whole request at the origin: %s", async (_what, rest) => {
    for (const leave of ["destroy", "end"] as const) {
      const arrived = new Promise<IncomingMessage>((resolve) =>
        origin.answerWith((request) => request.once("data", () => resolve(request))),
      );
      const socket = connect(edge.port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(`POST /cut HTTP/1.1\r\nHost: shop.test\r\n${rest}`);
      const request = await arrived;
      const failed = new Promise((resolve) => request.on("close", resolve));
      socket[leave]();
      await failed;
      expect(request.complete).toBe(false);
    }
  });

  it("leaves the edge ready for the next one", async () => {
    origin.reset();
    await vi.waitFor(async () => expect((await get("/next")).statusCode).toBe(200));
  });
});
