import type { Redis } from "ioredis";
import { z } from "zod";
import { defineScript } from "../../../shared/store/define-script.ts";
import { scriptRunner } from "../../redis/script-runner.ts";
import { quotaKey, USAGE_KEY } from "../items/keys.ts";
import takeSource from "./take-quota.lua";

/**
 * Fresh requests: 20 for each user or address in a window of two hours, counted and taken in one step in Redis. Beyond
 * them, and while Redis is unavailable, the last known prices are served, never an error.
 */
export type Quota = {
  /** Takes one, and notes for which item. */
  readonly take: (identity: string, note: string) => Promise<TakenQuota>;
  readonly read: (identity: string) => Promise<QuotaState>;
  /** The busiest of the current window. */
  readonly usage: (limit: number) => Promise<QuotaUsage>;
  /** The fresh requests of one identity in the current window. */
  readonly requestsOf: (identity: string) => Promise<readonly NotedRequest[]>;
};

export type QuotaState = {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly windowEndsAt: number;
  /** Until the next window; 0 while there are fresh requests left. */
  readonly retryAfterSeconds: number;
  readonly secondsToNextWindow: number;
};

type TakenQuota = QuotaState & { readonly isGranted: boolean };
type QuotaUsage = { readonly identities: number; readonly busiest: readonly { identity: string; used: number }[] };
type NotedRequest = { readonly at: number; readonly itemCode: string };

export const QUOTA_LIMIT = 20;
export const QUOTA_WINDOW_MS = 2 * 3_600_000;
/** An hour longer than the window, for admins. */
const KEPT_MS = QUOTA_WINDOW_MS + 3_600_000;
/** About a megabyte; beyond it users still have their quota, and admins see fewer of them. */
const IDENTITIES_MAX = 10_000;

const takeQuota = defineScript({
  name: "take-quota",
  source: takeSource,
  keys: ["quota", "usage"],
  args: {
    limit: z.int(),
    windowMs: z.int(),
    keptMs: z.int(),
    takes: z.enum(["0", "1"]),
    identity: z.string(),
    note: z.string(),
    identitiesMax: z.int(),
  },
  reply: z.tuple([z.number(), z.number(), z.number(), z.number()]),
});

type QuotaBounds = { readonly limit?: number; readonly windowMs?: number };

export function openQuota(redis: Redis, { limit = QUOTA_LIMIT, windowMs = QUOTA_WINDOW_MS }: QuotaBounds = {}): Quota {
  const runner = scriptRunner(redis);

  async function ask(identity: string, takes: "0" | "1", note: string): Promise<TakenQuota> {
    const [isGranted, used, leftMs, windowEndsAt] = await takeQuota.run(runner, {
      keys: { quota: quotaKey(identity), usage: USAGE_KEY },
      args: { limit, windowMs, keptMs: KEPT_MS, takes, identity, note, identitiesMax: IDENTITIES_MAX },
    });
    const remaining = Math.max(0, limit - used);
    const secondsToNextWindow = Math.ceil(leftMs / 1_000);
    return {
      ...{ isGranted: isGranted === 1, limit, used, remaining, windowEndsAt, secondsToNextWindow },
      retryAfterSeconds: remaining > 0 ? 0 : secondsToNextWindow,
    };
  }

  return {
    take: (identity, note) => ask(identity, "1", note),
    async read(identity) {
      const { isGranted: _isGranted, ...state } = await ask(identity, "0", "");
      return state;
    },
    async usage(count) {
      const [total, found] = await Promise.all([
        redis.zcard(USAGE_KEY),
        // The window's own entry has the largest score.
        redis.zrevrange(USAGE_KEY, 0, count, "WITHSCORES"),
      ]);
      const pairs = Array.from({ length: found.length / 2 }, (_, index) => ({
        identity: found[2 * index] ?? "",
        used: Number(found[2 * index + 1]),
      }));
      return { identities: Math.max(0, total - 1), busiest: pairs.filter(({ identity }) => identity !== "window") };
    },
    async requestsOf(identity) {
      const recent = (await redis.hget(quotaKey(identity), "recent")) ?? "";
      return recent
        .split(" ")
        .filter((text) => text !== "")
        .map((text) => ({ at: Number(text.split(":")[0]), itemCode: text.split(":")[1] ?? "" }));
    },
  };
}

/** When Redis cannot say: nothing fresh, and try again in a minute. */
export function unknownQuota(nowMs: number): TakenQuota {
  const windowEndsAt = (Math.floor(nowMs / QUOTA_WINDOW_MS) + 1) * QUOTA_WINDOW_MS;
  const secondsToNextWindow = Math.ceil((windowEndsAt - nowMs) / 1_000);
  return {
    ...{ isGranted: false, limit: QUOTA_LIMIT, used: QUOTA_LIMIT, remaining: 0, windowEndsAt, secondsToNextWindow },
    retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS,
  };
}

const UNAVAILABLE_RETRY_SECONDS = 60;
