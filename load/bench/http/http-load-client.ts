import { text } from "node:stream/consumers";
import { z } from "zod";
import { seededRandom } from "../../../kit/random.ts";
import { createHttpPool } from "../../http/http-pool.ts";
import { requestText } from "../../http/request-text.ts";
import { createLatencies } from "../latencies.ts";

/**
 * The process behind `measureHttp`: reads its order from stdin, writes its figures to stdout. It uses the load kit's
 * pool, which speaks HTTP on raw sockets: the load shares its core with Redis and must leave time for it.
 */
const order = z
  .object({
    url: z.url(),
    method: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
    cookies: z.array(z.string()).default([]),
    variants: z
      .array(z.object({ headers: z.record(z.string(), z.string()).optional(), body: z.string().optional() }))
      .default([]),
    ratePerSecond: z.number().positive().optional(),
    connections: z.number().int().positive(),
    requestsMax: z.number().int().positive().optional(),
    durationMs: z.number().positive(),
    warmUpMs: z.number().nonnegative(),
  })
  .parse(JSON.parse(await text(process.stdin)));

const ANSWERS_MIN = 20;
const LONGER_MS_MAX = 10_000;
const LOOK_EVERY_MS = 10;
/** A server that is gone must not turn the load into a busy loop. */
const FAILED_PAUSE_MS = 20;

const latencies = createLatencies();
let answers = 0;
let answersInAll = 0;
let errors = 0;
let isCounting = false;
let isOver = false;
let sent = 0;
let ended = 0;
let countingSinceMs = 0;

const pool = createHttpPool({ url: order.url, socketsMax: order.connections });
const variants = [...order.variants, ...order.cookies.map((cookie) => ({ headers: { cookie } }))];
const requests = variants.length === 0 ? [buildRequest({})] : variants.map(buildRequest);
if (order.ratePerSecond === undefined) for (let caller = 0; caller < order.connections; caller++) askAgain();
else arrive(order.ratePerSecond);

let window = setTimeout(() => {
  isCounting = true;
  countingSinceMs = performance.now();
  window = setTimeout(() => closeWindow(countingSinceMs), order.durationMs);
}, order.warmUpMs);

/** A window with hardly any answer makes no figure: on a machine that stalled it stays open for longer. */
function closeWindow(startedMs: number): void {
  if (isOver) return;
  const openMs = performance.now() - startedMs;
  const isFigure = answers >= ANSWERS_MIN || errors > 0 || openMs > order.durationMs + LONGER_MS_MAX;
  if (isFigure) finish(openMs);
  else setTimeout(() => closeWindow(startedMs), LOOK_EVERY_MS);
}

function buildRequest({ headers: own, body = order.body }: (typeof order.variants)[number]): Buffer {
  const { host, pathname, search } = new URL(order.url);
  const headers = { ...order.headers, ...own };
  const path = pathname + search;
  return Buffer.from(requestText({ method: order.method, path, host, headers, ...(body === "" ? {} : { body }) }));
}

/** Closed loop: each caller sends the next request when the one before is answered. */
function askAgain(): void {
  if (isOver || sent === order.requestsMax) return;
  send(performance.now(), (wasAnswered) => {
    if (wasAnswered) askAgain();
    else setTimeout(askAgain, FAILED_PAUSE_MS);
  });
}

/**
 * Open loop: arrivals are independent of response times. A late timer sends every request that was due, dated as due.
 */
function arrive(ratePerSecond: number): void {
  const random = seededRandom(ratePerSecond);
  let nextMs = performance.now();
  const timer = setInterval(() => {
    if (isOver) return clearInterval(timer);
    for (const nowMs = performance.now(); nextMs <= nowMs; ) {
      send(nextMs, () => {});
      nextMs -= (Math.log(1 - random.next()) * 1_000) / ratePerSecond;
    }
  }, 1);
}

function send(dueMs: number, onEnd: (wasAnswered: boolean) => void): void {
  const request = requests[sent++ % requests.length] ?? "";
  pool.send({
    text: request,
    onAnswer(answer) {
      if (isOver) return;
      record(answer?.status, performance.now() - dueMs);
      if (++ended === order.requestsMax) return finish(performance.now() - countingSinceMs);
      onEnd(answer !== undefined);
    },
  });
}

/** A status of undefined: the connection broke or no answer came. */
function record(status: number | undefined, latencyMs: number): void {
  if (status === undefined) {
    errors++;
    return;
  }
  answersInAll++;
  if (!isCounting) return;
  if (status < 200 || status > 299) errors++;
  answers++;
  latencies.add(latencyMs);
}

function finish(elapsedMs: number): void {
  isOver = true;
  clearTimeout(window);
  pool.close();
  const { p50Ms, p99Ms, p999Ms } = latencies.summary();
  const figures = {
    answers: answersInAll,
    requestsPerSecond: answers / (elapsedMs / 1_000),
    p50Ms,
    p99Ms,
    p999Ms,
    errors,
  };
  process.stdout.write(JSON.stringify(figures));
}
