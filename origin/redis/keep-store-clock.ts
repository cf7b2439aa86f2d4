import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Clock } from "../../shared/clock.ts";
import { createStoreClock } from "../../shared/store-clock.ts";

/**
 * The time of the venue's Redis, which sessions are counted by and all processes of the venue share: one whose own clock is an hour off refuses
 * nobody's pass and dates no order wrong. While Redis is away it goes on from what it heard last; one that never heard it goes by its own.
 */
export type KeptClock = Clock & { readonly stop: () => void };

type ClockParts = { readonly redis: Redis; readonly own: Clock; readonly log: Pick<Logger, "warn"> };

/** A start does not wait longer for a Redis that is away. */
const FIRST_WITHIN_MS = 2_000;
/** Clocks drift by some seconds a day; one that is set anew is noticed within this. */
const ASK_EVERY_MS = 10_000;

export async function keepStoreClock({ redis, own, log }: ClockParts): Promise<KeptClock> {
  const clock = createStoreClock(own);
  let toldMs = 0;

  async function ask(): Promise<void> {
    const askedAtMs = own.nowMs();
    const [seconds, microseconds] = await redis.time();
    clock.learn({ storeMs: Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000), askedAtMs });
    const differenceMs = clock.nowMs() - own.nowMs();
    // Once for each time that it is off by something else, not every ten seconds.
    if (Math.abs(differenceMs - toldMs) > TOLD_AGAIN_MS) {
      toldMs = differenceMs;
      log.warn({ differenceMs }, "this machine's clock is not that of the venue's Redis: the venue goes by the latter");
    }
  }

  const first = Promise.withResolvers<void>();
  // Away or slow: it is asked again soon, and meanwhile what was heard last holds.
  const askQuietly = () => void ask().then(first.resolve, () => {});
  redis.on("ready", askQuietly);
  if (redis.status === "ready") askQuietly();
  const timer = setInterval(askQuietly, ASK_EVERY_MS).unref();
  await Promise.race([first.promise, sleep(FIRST_WITHIN_MS, undefined, { ref: false })]);
  return {
    nowMs: clock.nowMs,
    stop: () => {
      clearInterval(timer);
      redis.off("ready", askQuietly);
    },
  };
}

const TOLD_AGAIN_MS = 5_000;
