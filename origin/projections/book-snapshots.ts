import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { orderFrom } from "../commit/row-fields.ts";
import type { OrderRow } from "../engine/changes.ts";
import { replies } from "../redis/pipeline.ts";
import { type BookLevels, createBookLevels, type Level } from "./book-levels.ts";
import type { Grids } from "./grids.ts";
import { bookKey, bookSnapshotKey } from "./keys.ts";

/**
 * The best prices of each book, for everybody who reads: `v1:book:snapshot:<pair>`. Written at most ten times a second for each pair that has
 * changed, so that what readers look at does not cost what traders do; each says after which commit the book stood so.
 */
export type BookSnapshots = {
  readonly absorb: (orders: Iterable<OrderRow>, when: When) => void;
  readonly stop: () => Promise<void>;
};

export type When = { readonly sequence: number; readonly at: number };

const WRITE_EVERY_MS = 100;
/** As deep as anybody may ask. */
const DEPTH = 100;
const PAGE = 500;

type SnapshotParts = { readonly redis: Redis; readonly grids: Grids; readonly pairs: readonly string[]; readonly log: Logger };

/** Begins with the open orders as they are projected; rows that are absorbed afterwards may be older than what was read. */
export async function openBookSnapshots({ redis, grids, pairs, log }: SnapshotParts): Promise<BookSnapshots> {
  const levels = createBookLevels();
  for (const pair of pairs) await loadBook(redis, pair, levels);
  const changed = new Set<string>(pairs);
  let latest: When = { sequence: 0, at: 0 };
  let timer: NodeJS.Timeout | undefined;
  let writtenAtMs = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    timer = undefined;
    writtenAtMs = performance.now();
    const due = [...changed];
    changed.clear();
    try {
      const pipeline = redis.pipeline();
      for (const pair of due) pipeline.set(bookSnapshotKey(pair), JSON.stringify(snapshotOf(pair)));
      await replies(pipeline);
    } catch (error) {
      for (const pair of due) changed.add(pair);
      log.debug({ err: error }, "books could not be written for readers");
    }
  }

  function snapshotOf(pair: string) {
    const { bids, asks } = levels.best(pair, DEPTH);
    const shown = ({ ticks, lots, grid }: Level) => {
      const units = grids.of(pair, grid);
      return [units.price(ticks), units.quantity(lots)];
    };
    return { ...latest, bids: bids.map(shown), asks: asks.map(shown) };
  }

  return {
    absorb(orders, when) {
      for (const order of orders) {
        levels.put(order);
        changed.add(order.pair);
      }
      latest = when;
      if (changed.size === 0 || timer !== undefined) return;
      const waitMs = Math.max(0, writtenAtMs + WRITE_EVERY_MS - performance.now());
      timer = setTimeout(() => {
        writing = write();
      }, waitMs);
    },
    async stop() {
      clearTimeout(timer);
      await writing;
    },
  };
}

async function loadBook(redis: Redis, pair: string, levels: BookLevels): Promise<void> {
  let cursor = "0";
  do {
    const [next, flat] = await redis.hscan(bookKey(pair), cursor, "COUNT", PAGE);
    cursor = next;
    for (let at = 1; at < flat.length; at += 2) levels.put(orderFrom(JSON.parse(flat[at] ?? "")));
  } while (cursor !== "0");
}
