import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Database } from "../../db/database.ts";
import { readPriceSettings } from "../fetch/fetch-queries.ts";
import { BOARD_KEY } from "../items/keys.ts";

const LOOK_EVERY_MS = 1_000;

type BoardParts = {
  readonly database: Database;
  readonly redis: Redis;
  readonly publish: () => Promise<void>;
  readonly log: Logger;
};

/**
 * Publishes the board whenever Redis is behind the record: a process died between the two writes, Redis was unavailable,
 * or it was emptied.
 */
export function keepBoard({ database, redis, publish, log }: BoardParts): { readonly stop: () => void } {
  let isUnavailable = false;
  let isStopping = false;

  async function look(): Promise<void> {
    try {
      const [{ revision }, published] = await Promise.all([
        readPriceSettings(database),
        redis.hget(BOARD_KEY, "revision"),
      ]);
      if (published === null || Number(published) < revision) await publish();
      isUnavailable = false;
    } catch (error) {
      if (!isUnavailable) log.warn({ err: error }, "the board cannot be published at the moment");
      isUnavailable = true;
    } finally {
      if (!isStopping) timer.refresh();
    }
  }

  const timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return {
    stop: () => {
      isStopping = true;
      clearTimeout(timer);
    },
  };
}
