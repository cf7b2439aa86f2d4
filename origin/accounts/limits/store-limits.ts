import type { Redis } from "ioredis";
import { z } from "zod";
import type { LimitVerdict } from "../../../shared/http/limit.ts";
import { defineScript } from "../../../shared/store/define-script.ts";
import { scriptRunner } from "../../redis/script-runner.ts";
import { STORE_LIMITS, type StoreLimitName } from "./limit-table.ts";
import source from "./take-limit.lua";

/** Limits for all processes together: one number in Redis each, which expires. */
export type StoreLimits = {
  readonly take: (limit: StoreLimitName, identity: string) => Promise<LimitVerdict>;
  /** Gives back an attempt that turned out to be harmless. */
  readonly giveBack: (limit: StoreLimitName, identity: string) => Promise<void>;
};

const takeLimit = defineScript({
  name: "take-limit",
  source,
  keys: ["limit"],
  args: { count: z.int(), costMs: z.number(), burst: z.int() },
  reply: z.tuple([z.int(), z.int(), z.int(), z.int()]),
});

const limitKey = (limit: string, identity: string) => `ratelimit:{${identity}}:${limit}`;

export function openStoreLimits(redis: Redis): StoreLimits {
  const runner = scriptRunner(redis);

  function ask(name: StoreLimitName, identity: string, count: number) {
    const { burst, perSecond } = STORE_LIMITS[name];
    return takeLimit.run(runner, {
      keys: { limit: limitKey(name, identity) },
      args: { count, costMs: 1000 / perSecond, burst },
    });
  }

  return {
    async take(name, identity) {
      const { burst, perSecond } = STORE_LIMITS[name];
      const [isTaken, left, waitMs, fullInMs] = await ask(name, identity, 1);
      return {
        isOver: isTaken === 0,
        retryAfterSeconds: isTaken === 0 ? Math.max(1, Math.ceil(waitMs / 1000)) : 0,
        remainingShare: left / burst,
        headers: {
          "ratelimit-policy": `"${name}";q=${burst};w=${Math.ceil(burst / perSecond)}`,
          ratelimit: `"${name}";r=${left};t=${Math.ceil(fullInMs / 1000)}`,
        },
      };
    },
    giveBack: async (name, identity) => void (await ask(name, identity, -1)),
  };
}
