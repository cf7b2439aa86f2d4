import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { createResponseReader } from "../http/response-reader.ts";

/**
 * The process behind `measureHttp`: reads its order from stdin, writes its figures to stdout.
 *
 * It speaks HTTP on raw sockets because the load shares its core with Redis and must leave time for it: measured here,
 * autocannon spends 20 µs of CPU per request, which is more than a bare `node:http` server does; this spends 12.
 */
const order = z
  .object({
    url: z.url(),
    method: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
    cookies: z.array(z.string()).default([]),
    variants: z.array(z.object({ headers: z.record(z.string(), z.string()).optional(), body: z.string().optional() })).default([]),
    ratePerSecond: z.number().positive().optional(),
    connections: z.number().int().positive(),
    durationMs: z.number().positive(),
    warmUpMs: z.number().nonnegative(),
  })
  .parse(JSON.parse(await text(process.stdin)));

const BUCKET_US = 10;
const LATENCY_US_MAX = 10_000_000;
/** After the time is up, answers still on their way are cut off: the window is over. */
const latencies = new Uint32Array(LATENCY_US_MAX / BUCKET_US + 1);
const ANSWERS_MIN = 20;
const LONGER_MS_MAX = 10_000;
const LOOK_EVERY_MS = 10;
let answers = 0;
let answersInAll = 0;
let errors = 0;
let isCounting = false;
let isOver = false;

const sockets = new Set<Socket>();
const variants = [...order.variants, ...order.cookies.map((cookie) => ({ headers: { cookie } }))];
const requests = variants.length === 0 ? [buildRequest({})] : variants.map(buildRequest);
let sent = 0;
/** Of an open loop: when each request came in that waits for a connection, and the connections that wait for one. */
const waitingSinceMs: number[] = [];
const idle: ((sinceMs: number) => void)[] = [];
const { hostname, port } = new URL(order.url);
for (let i = 0; i < order.connections; i++) openConnection();
if (order.ratePerSecond !== undefined) arrive(order.ratePerSecond);

setTimeout(() => {
  isCounting = true;
  const startedMs = performance.now();
  setTimeout(() => closeWindow(startedMs), order.durationMs);
}, order.warmUpMs);

/** On a machine that stood still meanwhile hardly anything may have been answered, which makes no figure: the window stays open a while. */
function closeWindow(startedMs: number): void {
  const openMs = performance.now() - startedMs;
  const isFigure = answers >= ANSWERS_MIN || errors > 0 || openMs > order.durationMs + LONGER_MS_MAX;
  if (isFigure) finish(openMs);
  else setTimeout(() => closeWindow(startedMs), LOOK_EVERY_MS);
}

/** Gaps as between independent people. A timer that rings late lets in all who would have come since, each with its own moment. */
function arrive(ratePerSecond: number): void {
  let nextMs = performance.now();
  const timer = setInterval(() => {
    if (isOver) return clearInterval(timer);
    const nowMs = performance.now();
    while (nextMs <= nowMs) {
      const send = idle.pop();
      if (send === undefined) waitingSinceMs.push(nextMs);
      else send(nextMs);
      nextMs -= (Math.log(1 - Math.random()) * 1_000) / ratePerSecond;
    }
  }, 1);
}

function buildRequest({ headers: own, body = order.body }: (typeof order.variants)[number]): Buffer {
  const { host, pathname, search } = new URL(order.url);
  const headers = {
    host,
    ...order.headers,
    ...own,
    ...(body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${order.method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

function openConnection(): void {
  let sentMs = 0;
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  sockets.add(socket);
  const sendAt = (sinceMs: number) => {
    sentMs = sinceMs;
    socket.write(requests[sent++ % requests.length] ?? "");
  };
  const send = () => {
    if (order.ratePerSecond === undefined) return sendAt(performance.now());
    const sinceMs = waitingSinceMs.shift();
    if (sinceMs === undefined) idle.push(sendAt);
    else sendAt(sinceMs);
  };
  const read = createResponseReader(({ status }) => {
    if (isOver) return;
    record(status, performance.now() - sentMs);
    send();
  });
  socket.on("connect", send);
  socket.on("data", (bytes) => {
    if (!read(bytes)) socket.destroy();
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    sockets.delete(socket);
    if (isOver) return;
    errors++;
    setTimeout(openConnection, RECONNECT_DELAY_MS);
  });
}

/** A server that is gone must not turn the load into a busy loop. */
const RECONNECT_DELAY_MS = 20;

function record(status: number, latencyMs: number): void {
  answersInAll++;
  if (!isCounting) return;
  if (status < 200 || status > 299) errors++;
  answers++;
  const bucket = Math.min(Math.trunc((latencyMs * 1_000) / BUCKET_US), latencies.length - 1);
  latencies[bucket] = (latencies[bucket] ?? 0) + 1;
}

function finish(elapsedMs: number): void {
  isOver = true;
  for (const socket of sockets) socket.destroy();
  const requestsPerSecond = answers / (elapsedMs / 1_000);
  const latency = { p50Ms: percentileMs(0.5), p99Ms: percentileMs(0.99), p999Ms: percentileMs(0.999) };
  const figures = { answers: answersInAll, requestsPerSecond, ...latency, errors };
  process.stdout.write(JSON.stringify(figures));
}

function percentileMs(share: number): number {
  let left = Math.ceil(answers * share);
  for (let bucket = 0; bucket < latencies.length; bucket++) {
    left -= latencies[bucket] ?? 0;
    if (left <= 0) return (bucket * BUCKET_US) / 1_000;
  }
  return LATENCY_US_MAX / 1_000;
}
