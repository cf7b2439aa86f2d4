import { Redis } from "ioredis";
import { z } from "zod";
import { queueKeys } from "../../edge/queue/keys.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { defineScript } from "../../shared/define-script.ts";
import type { LineLook, LineWatch } from "./line-watch.ts";
import lookLineSource from "./look-line.lua";

type RedisLineWatchOptions = { readonly redisUrl: string; readonly queueId: string };

/** A look that takes longer says nothing about now. */
const LOOK_MS_MAX = 1_000;
/** Often enough to see a cap exceeded for a moment, and still a look costs Redis less than a hundredth of its time. */
const LOOK_EVERY_MS = 100;
const RECONNECT_MS = 200;

/** The line of a stack of our own, straight from its Redis: several times a second, and at no cost to the edges. */
export function createRedisLineWatch({ redisUrl, queueId }: RedisLineWatchOptions): LineWatch {
  const redis = new Redis(redisUrl, {
    commandTimeout: LOOK_MS_MAX,
    connectTimeout: LOOK_MS_MAX,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    lazyConnect: true,
    retryStrategy: () => RECONNECT_MS,
  });
  // ioredis repeats every failure as an event; a look that fails already tells.
  redis.on("error", () => {});
  const connected = redis.connect().catch(() => {});
  const { waiting, active, stats, meta } = queueKeys(queueId);
  const keys = { waiting, active, stats, meta };
  return {
    everyMs: LOOK_EVERY_MS,
    async look() {
      await connected;
      try {
        return await lookLineScript.run(scriptRunner(redis), { keys, args: {} });
      } catch {
        return undefined;
      }
    },
    stop: () => redis.disconnect(),
  };
}

const count = z.number().int().nonnegative();

const lookLineScript = defineScript({
  name: "look-line",
  source: lookLineSource,
  keys: ["waiting", "active", "stats", "meta"],
  args: {},
  reply: z
    .tuple([count, count, count, count])
    .transform(([waiting, active, cap, admitted]): LineLook => ({ waiting, active, cap, admitted })),
});
