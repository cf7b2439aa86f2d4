import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { z } from "zod";
import { defineScript } from "../../../shared/store/define-script.ts";
import type { PairRow } from "../../engine/changes.ts";
import { priceText, quantityText } from "../../instruments/grid.ts";
import type { Grids } from "../../instruments/grids.ts";
import { scriptRunner } from "../../redis/script-runner.ts";
import { auctionKey, bookSnapshotKey, deepBookKey, lastPriceKey, WANTED_BOOKS_KEY } from "../keys.ts";
import type { LatestRows } from "../latest-rows.ts";
import { readBook } from "../load-state.ts";
import { auctionSnapshot, createAuctionPace } from "./auction-snapshot.ts";
import { createBookLevels } from "./book-levels.ts";
import putSnapshotSource from "./put-snapshot.lua";
import type { Level } from "./sorted-levels.ts";

/**
 * The best prices of each book for readers: `v1:book:snapshot:<pair>`, and beside it the last price. Written at most
 * ten times a second for each pair that has changed, so that the cost does not grow with the orders; each names the
 * commit that it belongs to. The open orders are read once, a page at a time, while the projection already follows the
 * journal: until then the snapshots of the previous worker stay, and when Redis is unavailable the reading starts over.
 */
export type BookSnapshots = {
  readonly absorb: (rows: LatestRows, sequence: number) => void;
  /** The last changes are written before the end, unless another worker writes by now. */
  readonly stop: (isMine: boolean) => Promise<void>;
};

type When = { readonly sequence: number; readonly at: number };

const WRITE_EVERY_MS = 100;
const LOAD_RETRY_MS = 500;
/** Kept for every pair at all times. */
const DEPTH = 100;
/** The deepest book that the API serves: made only while a reader wants it, because it is some 300 kB. */
const DEEP = 5_000;
const LOOK_EVERY_MS = 100;
const DEEP_EVERY_MS = 500;
const DEEP_KEPT_MS = 2_000;

const putSnapshot = defineScript({
  name: "put-snapshot",
  source: putSnapshotSource,
  keys: ["snapshot"],
  args: { sequence: z.int(), snapshot: z.string() },
  reply: z.int(),
});

type SnapshotParts = {
  readonly redis: Redis;
  readonly grids: Grids;
  readonly pairs: readonly string[];
  /** Their terms at that position; without them auctions are written from their next change on. */
  readonly rows?: readonly PairRow[];
  /** The projection's position before the first rows are absorbed. */
  readonly from: When;
  readonly log: Logger;
};

export function openBookSnapshots({ redis, grids, pairs, rows = [], from, log }: SnapshotParts): BookSnapshots {
  const runner = scriptRunner(redis);
  const levels = createBookLevels();
  const changed = new Set(pairs);
  const rowOf = new Map(rows.map((row) => [row.pair, row]));
  const traded = new Set<string>();
  const auctions = createAuctionPace();
  /** Auctions whose last change is not written yet, because they were written a moment ago. */
  const again = new Set<string>();
  /** Orders that were absorbed while the books are read: the rows read may be older. Undefined once all are read. */
  let absorbedMeanwhile: Set<number> | undefined;
  const stopping = new AbortController();
  let latest = from;
  let timer: NodeJS.Timeout | undefined;
  let writtenAtMs = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> = Promise.resolve();
  let deepAtMs = Number.NEGATIVE_INFINITY;

  async function load(isNewer: ReadonlySet<number>): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        for (const pair of pairs) await loadPair(pair, isNewer);
        break;
      } catch (error) {
        log.warn({ err: error }, "the books cannot be read for their snapshots: trying again");
        await sleep(LOAD_RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
    absorbedMeanwhile = undefined;
    schedule();
  }

  async function loadPair(pair: string, isNewer: ReadonlySet<number>): Promise<void> {
    for await (const order of readBook(redis, pair, grids)) {
      if (stopping.signal.aborted) return;
      if (!isNewer.has(order.id)) levels.put(order);
    }
  }

  function schedule(): void {
    const isLoading = absorbedMeanwhile !== undefined;
    if (isLoading || stopping.signal.aborted || changed.size === 0 || timer !== undefined) return;
    const waitMs = Math.max(0, writtenAtMs + WRITE_EVERY_MS - performance.now());
    timer = setTimeout(() => {
      writing = write();
    }, waitMs);
  }

  async function write(): Promise<void> {
    timer = undefined;
    writtenAtMs = performance.now();
    const due = [...changed];
    changed.clear();
    try {
      await Promise.all(due.map(writePair));
      for (const pair of again) changed.add(pair);
      again.clear();
      schedule();
    } catch (error) {
      for (const pair of due) changed.add(pair);
      log.debug({ err: error }, "books could not be written for readers");
    }
  }

  async function writePair(pair: string): Promise<void> {
    const args = { sequence: latest.sequence, snapshot: JSON.stringify(snapshotOf(pair)) };
    const isNewest = await putSnapshot.run(runner, { keys: { snapshot: bookSnapshotKey(pair) }, args });
    const row = rowOf.get(pair);
    if (isNewest === 0 || row === undefined) return;
    await writeAuction(row);
    if (row.lastTicks === 0 || !traded.has(pair)) return;
    await redis.set(lastPriceKey(pair), priceText(row.lastTicks, grids.of(pair, row.grid)));
  }

  async function writeAuction(row: PairRow): Promise<void> {
    if (!auctions.isDue(row)) {
      if (row.auction.phase === "collecting") again.add(row.pair);
      return;
    }
    const beganMs = performance.now();
    const snapshot = auctionSnapshot(row, levels, grids.of(row.pair, row.grid));
    const args = { sequence: latest.sequence, snapshot: JSON.stringify({ ...latest, ...snapshot }) };
    auctions.note(row, performance.now() - beganMs);
    await putSnapshot.run(runner, { keys: { snapshot: auctionKey(row.pair) }, args });
  }

  /** Once in half a second for each pair that readers want. */
  async function writeDeep(): Promise<void> {
    if (absorbedMeanwhile !== undefined || performance.now() - deepAtMs < DEEP_EVERY_MS) return;
    const wanted = await redis.smembers(WANTED_BOOKS_KEY);
    if (wanted.length === 0) return;
    deepAtMs = performance.now();
    const writing = redis.pipeline();
    for (const pair of wanted)
      writing.set(deepBookKey(pair), JSON.stringify(snapshotOf(pair, DEEP)), "PX", DEEP_KEPT_MS);
    await writing.exec();
  }

  function snapshotOf(pair: string, depth = DEPTH) {
    const { bids, asks } = levels.top(pair, depth);
    const shown = (level: Level) => {
      const grid = grids.of(pair, level.grid);
      return [priceText(level.ticks, grid), quantityText(level.lots, grid)];
    };
    const best = [bids[0], asks[0]].flatMap((level) => (level === undefined ? [null, null] : shown(level)));
    return { ...latest, best, bids: bids.map(shown), asks: asks.map(shown) };
  }

  // A reader asks again: a failure is only logged.
  const looking = setInterval(
    () => void writeDeep().catch(() => log.debug("a deep book was not written")),
    LOOK_EVERY_MS,
  );
  absorbedMeanwhile = new Set();
  const loading = load(absorbedMeanwhile);
  return {
    absorb({ orders, pairs: newRows, clock }, sequence) {
      for (const order of orders.values()) {
        levels.put(order);
        absorbedMeanwhile?.add(order.id);
        changed.add(order.pair);
      }
      for (const row of newRows) {
        rowOf.set(row.pair, row);
        traded.add(row.pair);
        if (row.auction.number > 0) changed.add(row.pair);
      }
      latest = { sequence, at: clock.at };
      schedule();
    },
    async stop(isMine) {
      stopping.abort();
      clearInterval(looking);
      const isDue = timer !== undefined;
      clearTimeout(timer);
      await loading;
      await writing;
      if (isDue && isMine) await write();
    },
  };
}
