import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { inTurns } from "./gate-crowd.ts";

/** Store commands, split into those of requests and those of an edge's timers. */
export type CommandCount = {
  /** All calls during the requests. */
  readonly calls: number;
  readonly seconds: number;
  readonly perRequest: number;
  readonly perSecondBehind: number;
};

export type Asking = { readonly url: string; readonly method: string; readonly cookies: readonly string[] };

type CountOptions = {
  readonly redisUrl: string;
  readonly asking: Asking;
  /** A request without a store command that keeps the edge's refreshes active. */
  readonly idling: Asking;
  readonly requests: number;
  readonly idleMs: number;
};

const IDLE_EVERY_MS = 20;

/**
 * Counts script calls in Redis (`INFO commandstats`). Calls of timers are measured first, with hardly any requests, and
 * subtracted.
 */
export async function countCommands({
  redisUrl,
  asking,
  idling,
  requests,
  idleMs,
}: CountOptions): Promise<CommandCount> {
  const redis = new Redis(redisUrl);
  try {
    const idle = await scriptCalls(redis, () => inTurnsEvery(IDLE_EVERY_MS, idleMs, (index) => send(idling, index)));
    const perSecondBehind = idle.calls / idle.seconds;
    const busy = await scriptCalls(redis, () => inTurns(requests, (index) => send(asking, index)));
    return { ...busy, perRequest: (busy.calls - perSecondBehind * busy.seconds) / requests, perSecondBehind };
  } finally {
    redis.disconnect();
  }
}

async function send({ url, method, cookies }: Asking, index: number): Promise<void> {
  const cookie = cookies[index % cookies.length];
  const response = await fetch(url, { method, ...(cookie === undefined ? {} : { headers: { cookie } }) });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}`);
}

async function inTurnsEvery(everyMs: number, lastingMs: number, work: (index: number) => Promise<void>): Promise<void> {
  for (let index = 0; index < lastingMs / everyMs; index++) await Promise.all([work(index), sleep(everyMs)]);
}

async function scriptCalls(
  redis: Redis,
  work: () => Promise<unknown>,
): Promise<{ readonly calls: number; readonly seconds: number }> {
  await redis.config("RESETSTAT");
  const startedMs = performance.now();
  await work();
  const seconds = (performance.now() - startedMs) / 1_000;
  const stats = await redis.info("commandstats");
  const calls = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
  return { calls, seconds };
}
