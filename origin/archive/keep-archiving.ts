import type { Logger } from "pino";
import type { Clock } from "../../shared/clock.ts";
import type { Database } from "../db/database.ts";
import { archiveOrders } from "./archive-orders.ts";
import type { OrderArchive } from "./order-archive.ts";

type ArchivingParts = {
  readonly database: Database;
  readonly archive: OrderArchive;
  readonly clock: Clock;
  readonly log: Logger;
  readonly days: number;
};

const LOOK_EVERY_MS = 10 * 60_000;
const DAY_MS = 24 * 3_600_000;
/** Of one look: the venue goes on meanwhile, and the rest is there the next time. */
const FILES_MAX = 20;

/** Every ten minutes, orders that ended long enough ago go to the archive. */
export function keepArchiving({ database, archive, clock, log, days }: ArchivingParts): { readonly stop: () => void } {
  async function look(): Promise<void> {
    try {
      let moved = 0;
      for (let files = 0; files < FILES_MAX; files++) {
        const count = await archiveOrders({ database, archive, beforeMs: clock.nowMs() - days * DAY_MS });
        moved += count;
        if (count === 0) break;
      }
      if (moved > 0) log.info({ orders: moved }, "old orders went to the archive");
    } catch (error) {
      log.warn({ err: error }, "old orders could not go to the archive");
    } finally {
      timer.refresh();
    }
  }

  const timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return { stop: () => clearTimeout(timer) };
}
