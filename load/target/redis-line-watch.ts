import { Redis } from "ioredis";
import { z } from "zod";
import { queueKeys } from "../../edge/line/keys.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { defineScript } from "../../shared/store/define-script.ts";
import type { LineLook, LineWatch } from "./line-watch.ts";
import lookLineSource from "./look-line.lua";

type RedisLineWatchOptions = { readonly redisUrl: string; readonly queueId: string };

/** A slower sample is out of date. */
const LOOK_MS_MAX = 1_000;
/** Often enough to see a cap exceeded for a moment; a sample costs Redis less than a hundredth of its time. */
const LOOK_EVERY_MS = 100;
const RECONNECT_MS = 200;

/** The line of the run's own stack, read from its Redis ten times a second at no cost to the edges. */
export function createRedisLineWatch({ redisUrl, queueId }: RedisLineWatchOptions): LineWatch {
  const redis = new Redis(redisUrl, {
    commandTimeout: LOOK_MS_MAX,
    connectTimeout: LOOK_MS_MAX,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    lazyConnect: true,
    retryStrategy: () => RECONNECT_MS,
  });
  // ioredis also emits every failure as an event; the failed sample is enough.
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
