import type { Logger } from "pino";
import type { Clock } from "../../../shared/clock.ts";
import type { Database } from "../../db/database.ts";
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

/** Every ten minutes, moves all orders that ended more than `days` ago to the archive. */
export function keepArchiving({ database, archive, clock, log, days }: ArchivingParts): { readonly stop: () => void } {
  let isStopping = false;

  async function look(): Promise<void> {
    try {
      const beforeMs = clock.nowMs() - days * DAY_MS;
      const moved = await archiveOrders({ database, archive, beforeMs, isStopping: () => isStopping });
      if (moved > 0) log.info({ orders: moved }, "archived old orders");
    } catch (error) {
      log.warn({ err: error }, "old orders could not be archived");
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
