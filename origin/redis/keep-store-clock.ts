import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Clock } from "../../shared/clock.ts";
import { createStoreClock } from "../../shared/clock.ts";

/**
 * The time of the venue's Redis, shared by all processes of the venue and used for sessions: a machine whose own clock
 * is an hour off refuses no pass and dates no order wrong. While Redis is unavailable, the clock continues from the
 * last reading; before the first reading it is the machine's own.
 */
export type KeptClock = Clock & { readonly stop: () => void };

type ClockParts = { readonly redis: Redis; readonly own: Clock; readonly log: Pick<Logger, "warn"> };

/** How long a start waits for an unavailable Redis. */
const FIRST_WITHIN_MS = 2_000;
/** Clocks drift by seconds a day; a clock that was set is noticed within this time. */
const ASK_EVERY_MS = 10_000;

export async function keepStoreClock({ redis, own, log }: ClockParts): Promise<KeptClock> {
  const clock = createStoreClock(own);
  let toldMs = 0;

  async function ask(): Promise<void> {
    const askedAtMs = own.nowMs();
    const [seconds, microseconds] = await redis.time();
    clock.learn({ storeMs: Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000), askedAtMs });
    const differenceMs = clock.nowMs() - own.nowMs();
    // Warns once for each change of the difference, not every ten seconds.
    if (Math.abs(differenceMs - toldMs) > TOLD_AGAIN_MS) {
      toldMs = differenceMs;
      log.warn(
        { differenceMs },
        "this machine's clock differs from that of the venue's Redis: the venue uses the time of Redis",
      );
    }
  }

  const first = Promise.withResolvers<void>();
  // Unavailable or slow: it is asked again soon, and until then the last reading is used.
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
