import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { ENDED_LISTS_KEY, orderKey } from "./keys.ts";

/**
 * Ended orders are kept for a month; by then PostgreSQL has them. They go by the lists that they are in, one for each day: an expiry of its own for
 * every order would cost Redis about as much as writing it. Several processes may do this at once, and one that was stopped begins again.
 */
export type Forgetting = { readonly stop: () => Promise<void> };

const KEPT_MS = 30 * 86_400_000;
const DAY_MS = 86_400_000;
const EVERY_MS = 3_600_000;
/** Some tenths of a millisecond for Redis, which others wait for. */
const PAGE = 200;

type ForgettingParts = { readonly redis: Redis; readonly nowMs: () => number; readonly log: Logger };

export function startForgetting({ redis, nowMs, log }: ForgettingParts): Forgetting {
  let isStopping = false;
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = forgetOldOrders(redis, { nowMs: nowMs(), isStopping: () => isStopping }).catch((error: unknown) =>
      log.warn({ err: error }, "old orders were not taken out of Redis"),
    );
  }, EVERY_MS);
  return {
    stop: async () => {
      isStopping = true;
      clearInterval(timer);
      await running;
    },
  };
}

export async function forgetOldOrders(redis: Redis, { nowMs, isStopping }: { nowMs: number; isStopping: () => boolean }): Promise<void> {
  for (const list of await redis.smembers(ENDED_LISTS_KEY)) {
    const endOfDay = (dayOf(list) + 1) * DAY_MS;
    if (endOfDay + KEPT_MS <= nowMs && !(await forgetAll(redis, list, isStopping))) return;
  }
}

/** False when it was stopped before the end. The list itself goes last, so that nothing in it can be missed. */
async function forgetAll(redis: Redis, list: string, isStopping: () => boolean): Promise<boolean> {
  for (let from = 0; ; from += PAGE) {
    if (isStopping()) return false;
    const ids = await redis.lrange(list, from, from + PAGE - 1);
    if (ids.length === 0) break;
    await redis.unlink(ids.map((id) => orderKey(Number(id))));
  }
  await redis.multi().unlink(list).srem(ENDED_LISTS_KEY, list).exec();
  return true;
}

const dayOf = (list: string): number => Number(list.slice(list.lastIndexOf(":") + 1));
