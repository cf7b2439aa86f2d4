import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { PairRow } from "../engine/changes.ts";
import { replies } from "../redis/pipeline.ts";
import { createBookLevels, type Level } from "./book-levels.ts";
import type { Grids } from "./grids.ts";
import { bookSnapshotKey, lastPriceKey } from "./keys.ts";
import type { LatestRows } from "./latest-rows.ts";
import { readBook } from "./read-book.ts";

/**
 * The best prices of each book, for everybody who reads: `v1:book:snapshot:<pair>`, and beside it the last price. Written at most ten times a
 * second for each pair that has changed, so that what readers look at does not cost what traders do; each says after which commit the book
 * stood so.
 */
export type BookSnapshots = {
  readonly absorb: (rows: LatestRows, sequence: number) => void;
  readonly stop: () => Promise<void>;
};

type When = { readonly sequence: number; readonly at: number };

const WRITE_EVERY_MS = 100;
/** As deep as anybody may ask. */
const DEPTH = 100;

type SnapshotParts = { readonly redis: Redis; readonly grids: Grids; readonly pairs: readonly string[]; readonly log: Logger };

/** Begins with the open orders as they are projected; rows that are absorbed afterwards may be older than what was read. */
export async function openBookSnapshots({ redis, grids, pairs, log }: SnapshotParts): Promise<BookSnapshots> {
  const levels = createBookLevels();
  for (const pair of pairs) for await (const order of readBook(redis, pair, grids)) levels.put(order);
  const changed = new Set<string>(pairs);
  const traded = new Map<string, PairRow>();
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
      for (const pair of due) {
        pipeline.set(bookSnapshotKey(pair), JSON.stringify(snapshotOf(pair)));
        const row = traded.get(pair);
        if (row !== undefined && row.lastTicks > 0) pipeline.set(lastPriceKey(pair), grids.of(pair, row.grid).price(row.lastTicks));
      }
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
      return [units.price(ticks), units.quantityOf(lots)];
    };
    return { ...latest, bids: bids.map(shown), asks: asks.map(shown) };
  }

  return {
    absorb({ orders, pairs: rows, clock }, sequence) {
      for (const order of orders.values()) {
        levels.put(order);
        changed.add(order.pair);
      }
      for (const row of rows) traded.set(row.pair, row);
      latest = { sequence, at: clock.at };
      if (changed.size === 0 || timer !== undefined) return;
      const waitMs = Math.max(0, writtenAtMs + WRITE_EVERY_MS - performance.now());
      timer = setTimeout(() => {
        writing = write();
      }, waitMs);
    },
    async stop() {
      await writing;
      if (timer === undefined) return;
      clearTimeout(timer);
      await write();
    },
  };
}
