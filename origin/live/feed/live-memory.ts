import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { PairRow } from "../../engine/changes.ts";
import { createGrids, type Grids } from "../../instruments/grids.ts";
import { firstEntry, type JournalPosition } from "../../journal/journal.ts";
import type { Committed } from "../../journal/journal-feed.ts";
import { type ReadMarket, readMarket } from "../../market/load-market.ts";
import type { LoadedPair } from "../../market/pair-market.ts";
import { type BookLevels, createBookLevels } from "../../state/book/book-levels.ts";
import { pairTradesKey } from "../../state/keys.ts";
import { readBook, readPosition, readTerms } from "../../state/load-state.ts";
import { createLivePairMarket, type LivePairMarket } from "./live-market.ts";
import { createTradeRing, type TradeRing } from "./trade-ring.ts";

/**
 * The state of the public channels, in memory: every book, the last trades, the pairs. It is loaded from the projection
 * once and then follows the journal. Rows that are read while the projection continues may be newer than the position
 * that was read first; they are absolute, so it is exact from `exactFrom` on, and nothing may be shown before.
 */
export type LiveMemory = {
  readonly epoch: string;
  readonly exactFrom: number;
  position: JournalPosition;
  /** The journal's time, in milliseconds. */
  at: number;
  readonly grids: Grids;
  readonly pairs: ReadonlyMap<string, PairRow>;
  readonly books: BookLevels;
  /** The book's version after a journal entry; undefined when that is too long ago. */
  readonly bookVersionAt: (pair: string, sequence: number) => number | undefined;
  /** The entry that last changed the book or its grid. */
  readonly bookSequence: (pair: string) => number;
  /**
   * From this entry on a reader of the book's channel knows every level, in today's ticks and lots: the book was never
   * deeper than a snapshot since. Undefined while it is deeper.
   */
  readonly bookWholeFrom: (pair: string) => number | undefined;
  /** The entry that last changed the ticks or lots. */
  readonly regriddedAt: (pair: string) => number;
  readonly trades: (pair: string) => TradeRing;
  /** Undefined while the market projection has nothing that can be continued from. */
  readonly market: (pair: string) => LivePairMarket | undefined;
  readonly absorb: (committed: Committed) => void;
};

type BookMark = { readonly sequence: number; readonly version: number };
type BookMarks = { marks: BookMark[]; regriddedAt: number; wholeFrom: number | undefined };

/** Entries with a change of the book that a reader can resume from; as many as `book-levels.ts` remembers changes. */
const MARKS_MAX = 4_096;
/** Shown in a snapshot of the trades. */
export const TRADES_SHOWN = 100;
/** How many prices of each side a book's channel shows: a snapshot of both has some 50 kB. */
export const BOOK_DEPTH = 1_000;

export async function loadMemory(redis: Redis, epoch: string, nowMs: number): Promise<LiveMemory> {
  const before = await readPosition(redis);
  const market = await readLiveMarket(redis, nowMs);
  const grids = createGrids();
  const terms = await readTerms(redis, grids);
  const books = createBookLevels();
  const earlier = new Map<string, readonly { readonly id: number; readonly text: string }[]>();
  for (const { pair } of terms) {
    for await (const order of readBook(redis, pair, grids)) books.put(order);
    earlier.set(pair, (await redis.lrange(pairTradesKey(pair), 0, TRADES_SHOWN - 1)).reverse().map(storedTrade));
  }
  const after = await readPosition(redis);
  // The market may be behind the state, or ahead of it.
  const isBehind = market !== undefined && market.position.sequence < before.position.sequence;
  const { sequence, hash, command } = isBehind ? market.position : before.position;
  const exactFrom = Math.max(after.position.sequence, market?.position.sequence ?? 0);
  const beginning = { epoch, position: { sequence, hash, command }, at: before.clock.at, exactFrom };
  return createMemory(beginning, { grids, books, terms, earlier, loaded: market?.loaded });
}

const MARKET_READS_MAX = 20;
const MARKET_RETRY_MS = 50;

/**
 * The market beside the projection that writes it: a pair that was written meanwhile appears damaged, and is read again.
 * Undefined when it stays damaged (it is being rebuilt), or when the journal no longer holds its next entry.
 */
async function readLiveMarket(redis: Redis, nowMs: number): Promise<ReadMarket | undefined> {
  for (let turn = 0; turn < MARKET_READS_MAX; turn++) {
    const market = await readMarket(redis, nowMs);
    const first = await firstEntry(redis);
    const isHeld = first === undefined || first.sequence <= market.position.sequence + 1;
    if (market.damage === undefined && isHeld) return market;
    if (!isHeld) return undefined;
    await sleep(MARKET_RETRY_MS);
  }
  return undefined;
}

type Beginning = Pick<LiveMemory, "epoch" | "position" | "at" | "exactFrom">;
type Loaded = {
  readonly grids: Grids;
  readonly books: BookLevels;
  readonly terms: readonly PairRow[];
  readonly earlier: ReadonlyMap<string, readonly { readonly id: number; readonly text: string }[]>;
  readonly loaded: ReadonlyMap<string, LoadedPair> | undefined;
};

function createMemory(beginning: Beginning, { grids, books, terms, earlier, loaded }: Loaded): LiveMemory {
  const pairs = new Map<string, PairRow>(terms.map((row) => [row.pair, row]));
  const rings = new Map<string, TradeRing>();
  const markets = new Map<string, LivePairMarket>();
  const marks = new Map<string, BookMarks>();

  function ringOf(pair: string): TradeRing {
    const known = rings.get(pair);
    if (known !== undefined) return known;
    const ring = createTradeRing({ grids, from: beginning.exactFrom, earlier: earlier.get(pair) ?? [] });
    rings.set(pair, ring);
    return ring;
  }

  function marketOf(pair: string): LivePairMarket | undefined {
    if (loaded === undefined) return undefined;
    const known = markets.get(pair);
    if (known !== undefined) return known;
    const market = createLivePairMarket({ grids, from: beginning.exactFrom, loaded: loaded.get(pair) });
    markets.set(pair, market);
    return market;
  }

  function marksOf(pair: string): BookMarks {
    const known = marks.get(pair);
    if (known !== undefined) return known;
    const first = { sequence: beginning.exactFrom, version: books.version(pair) };
    const ofPair: BookMarks = { marks: [first], regriddedAt: 0, wholeFrom: undefined };
    if (books.depth(pair) <= BOOK_DEPTH) ofPair.wholeFrom = beginning.exactFrom;
    marks.set(pair, ofPair);
    return ofPair;
  }

  function noteBooks(touched: ReadonlySet<string>, sequence: number): void {
    for (const pair of touched) {
      const ofPair = marksOf(pair);
      const version = books.version(pair);
      if (ofPair.marks.at(-1)?.version === version) continue;
      if (books.depth(pair) > BOOK_DEPTH) ofPair.wholeFrom = undefined;
      else ofPair.wholeFrom ??= Math.max(sequence, beginning.exactFrom);
      // Until the memory is exact, a version belongs to no entry.
      if (sequence <= beginning.exactFrom) ofPair.marks = [{ sequence: beginning.exactFrom, version }];
      else ofPair.marks.push({ sequence, version });
      if (ofPair.marks.length >= 2 * MARKS_MAX) ofPair.marks = ofPair.marks.slice(-MARKS_MAX);
    }
  }

  function learnPair(row: PairRow, sequence: number): void {
    if (pairs.get(row.pair)?.grid !== row.grid) {
      const ofPair = marksOf(row.pair);
      ofPair.regriddedAt = sequence;
      if (ofPair.wholeFrom !== undefined) ofPair.wholeFrom = sequence;
    }
    pairs.set(row.pair, row);
  }

  for (const { pair } of terms) {
    marksOf(pair);
    ringOf(pair);
  }
  const memory: LiveMemory = {
    ...beginning,
    ...{ grids, pairs, books },
    trades: ringOf,
    market: marketOf,
    bookVersionAt: (pair, sequence) => marksOf(pair).marks.findLast((mark) => mark.sequence <= sequence)?.version,
    bookSequence: (pair) => Math.max(marksOf(pair).marks.at(-1)?.sequence ?? 0, marksOf(pair).regriddedAt),
    bookWholeFrom: (pair) => marksOf(pair).wholeFrom,
    regriddedAt: (pair) => marksOf(pair).regriddedAt,
    absorb({ position, changes }) {
      const { sequence } = position;
      grids.learn(changes);
      const touched = new Set<string>();
      for (const order of changes.orders) {
        // Known before the first change, so that its marks begin with the version before it.
        if (!touched.has(order.pair)) marksOf(order.pair);
        touched.add(order.pair);
        books.put(order);
      }
      for (const row of changes.pairs) learnPair(row, sequence);
      noteBooks(touched, sequence);
      for (const trade of changes.trades) {
        ringOf(trade.pair).add(sequence, trade);
        marketOf(trade.pair)?.absorb(sequence, trade);
      }
      memory.position = position;
      memory.at = changes.at;
    },
  };
  return memory;
}

function storedTrade(text: string): { readonly id: number; readonly text: string } {
  const { id, price, quantity, value, taker_side: takerSide, at } = JSON.parse(text) as Record<string, unknown>;
  return { id: id as number, text: JSON.stringify({ id: String(id), price, quantity, value, takerSide, at }) };
}
