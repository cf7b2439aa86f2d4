import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { measureHttp } from "./http-load.ts";

const server = createServer();
let seenBody = "";
afterEach(() => {
  server.closeAllConnections();
  server.close();
  server.removeAllListeners("request");
});

async function serve(listener: RequestListener): Promise<string> {
  server.on("request", listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const SHORT = { connections: 4, durationMs: 200, warmUpMs: 50 };

it("counts answers with a length and sends the body", async () => {
  const url = await serve((req, res) => {
    req.on("data", (bytes: Buffer) => {
      seenBody = bytes.toString();
    });
    req.on("end", () => res.writeHead(200, { "content-length": 2 }).end("ok"));
  });
  const figures = await measureHttp({ url, method: "POST", body: "hello", ...SHORT });
  expect(figures.requestsPerSecond).toBeGreaterThan(10);
  expect(figures.p99Ms).toBeGreaterThanOrEqual(figures.p50Ms);
  expect(figures.errors).toBe(0);
  expect(seenBody).toBe("hello");
});

it("finds the end of chunked answers", async () => {
  const url = await serve((_req, res) => {
    res.write("one");
    setImmediate(() => res.end("two"));
  });
  const figures = await measureHttp({ url, ...SHORT });
  expect(figures.requestsPerSecond).toBeGreaterThan(10);
  expect(figures.errors).toBe(0);
});

it("extends the window until there are answers to count", async () => {
  const url = await serve((_req, res) => setTimeout(() => res.writeHead(200, { "content-length": 2 }).end("ok"), 100));
  const figures = await measureHttp({ url, ...SHORT, durationMs: 10, warmUpMs: 0 });
  expect(figures.answers).toBeGreaterThanOrEqual(20);
  expect(figures.requestsPerSecond).toBeGreaterThan(0);
});

it("counts refusals as errors", async () => {
  const url = await serve((_req, res) => res.writeHead(503).end());
  const figures = await measureHttp({ url, ...SHORT });
  expect(figures.errors).toBeGreaterThan(10);
});

it("sends the variants in turn, each with its own headers and body", async () => {
  const seen = new Set<string>();
  const url = await serve((req, res) => {
    req.on("data", (bytes: Buffer) => seen.add(`${req.headers["x-one"]} ${req.headers["x-all"]} ${bytes.toString()}`));
    req.on("end", () => res.writeHead(200, { "content-length": 2 }).end("ok"));
  });
  const variants = [{ headers: { "x-one": "1" }, body: "first" }, { headers: { "x-one": "2" } }];
  const figures = await measureHttp({
    url,
    method: "POST",
    headers: { "x-all": "a" },
    body: "whole",
    variants,
    ...SHORT,
  });
  expect(figures.errors).toBe(0);
  expect([...seen].toSorted()).toEqual(["1 a first", "2 a whole"]);
});

it("sends the cookies in turn, one with each request", async () => {
  const seen = new Map<string, number>();
  const url = await serve((req, res) => {
    const cookie = req.headers.cookie ?? "none";
    seen.set(cookie, (seen.get(cookie) ?? 0) + 1);
    res.writeHead(204).end();
  });
  const figures = await measureHttp({ url, cookies: ["a=1", "a=2", "a=3"], ...SHORT });
  expect(figures.errors).toBe(0);
  expect([...seen.keys()].sort()).toEqual(["a=1", "a=2", "a=3"]);
  const counts = [...seen.values()];
  // The last request of each connection may be cut off before it arrives.
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(SHORT.connections);
});

it("sends at its own rate in an open loop, and measures from the due time", async () => {
  const url = await serve((_req, res) => void setTimeout(() => res.writeHead(204).end(), 20));
  const figures = await measureHttp({ url, connections: 1, durationMs: 600, warmUpMs: 100, ratePerSecond: 200 });
  expect(figures.errors).toBe(0);
  // One connection serves at most 50 a second, so requests wait longer and longer: a closed loop would see 20 ms.
  expect(figures.requestsPerSecond).toBeLessThan(60);
  expect(figures.p50Ms).toBeGreaterThan(100);
});
