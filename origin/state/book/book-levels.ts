import type { OrderRow } from "../../engine/changes.ts";
import { isResting } from "../../engine/terms.ts";
import { createSortedLevels, type Level, type SortedLevels } from "./sorted-levels.ts";

/**
 * The resting lots of each price, from the orders' rows. Of an order only the remaining quantity is kept, so that a
 * repeated or merged row does no harm.
 */
export type BookLevels = {
  readonly put: (order: OrderRow) => void;
  /** The best levels of each side; costs what it returns, however deep the book is. */
  readonly top: (pair: string, depth: number) => { readonly bids: readonly Level[]; readonly asks: readonly Level[] };
  /** How many prices the longer side has. */
  readonly depth: (pair: string) => number;
  /** The levels at which buyers and sellers meet, as only in an auction; undefined if they do not. */
  readonly crossing: (
    pair: string,
  ) => { readonly buys: readonly Level[]; readonly sells: readonly Level[] } | undefined;
  /** Grows with every change of a level of the pair. */
  readonly version: (pair: string) => number;
  /**
   * The current state of the levels that have changed since a version; undefined when that is too long ago: then use
   * `top`.
   */
  readonly changesSince: (pair: string, version: number) => readonly LevelChange[] | undefined;
  /** Elements read or moved so far. */
  readonly visits: () => number;
};

type Rest = { readonly pair: string; readonly side: "buy" | "sell"; readonly ticks: number; readonly lots: number };
type Book = { readonly buy: SortedLevels; readonly sell: SortedLevels; readonly changes: LevelChanges };

export function createBookLevels(): BookLevels {
  const rests = new Map<number, Rest>();
  const books = new Map<string, Book>();

  function bookOf(pair: string): Book {
    const known = books.get(pair);
    if (known !== undefined) return known;
    const sides = { buy: createSortedLevels("buy"), sell: createSortedLevels("sell") };
    const book = { ...sides, changes: createLevelChanges((side, ticks) => sides[side].at(ticks)) };
    books.set(pair, book);
    return book;
  }

  function add({ pair, side, ticks, lots }: Rest, grid: number, sign: 1n | -1n): void {
    const book = bookOf(pair);
    book[side].add(ticks, sign * BigInt(lots), grid);
    book.changes.note(side, ticks);
  }

  return {
    put({ id, pair, grid, side, ticks, lots, filledLots, status }) {
      const before = rests.get(id);
      const rest = isResting(status) ? { pair, side, ticks, lots: lots - filledLots } : undefined;
      if (before !== undefined && rest !== undefined && before.ticks === ticks && before.lots === rest.lots) return;
      if (rest !== undefined) add(rest, grid, 1n);
      if (before !== undefined) add(before, grid, -1n);
      if (rest !== undefined) rests.set(id, rest);
      else rests.delete(id);
    },
    top(pair, depth) {
      const { buy, sell } = bookOf(pair);
      return { bids: buy.top(depth), asks: sell.top(depth) };
    },
    depth: (pair) => Math.max(bookOf(pair).buy.size(), bookOf(pair).sell.size()),
    crossing(pair) {
      const { buy, sell } = bookOf(pair);
      const [[bestBuy], [bestSell]] = [buy.top(1), sell.top(1)];
      if (bestBuy === undefined || bestSell === undefined || bestBuy.ticks < bestSell.ticks) return undefined;
      return { buys: buy.through(bestSell.ticks), sells: sell.through(bestBuy.ticks) };
    },
    version: (pair) => bookOf(pair).changes.version(),
    changesSince: (pair, version) => bookOf(pair).changes.since(version),
    visits: () => [...books.values()].reduce((sum, { buy, sell }) => sum + buy.visits() + sell.visits(), 0),
  };
}

/** A level as it is now; without lots when it is gone. */
export type LevelChange = {
  readonly side: "buy" | "sell";
  readonly ticks: number;
  readonly lots: bigint;
  readonly grid: number;
};

/**
 * Which levels of a book have changed, in order, as far back as `HELD_MAX` changes: enough to send a recent reader only
 * the difference. A version is the number of changes so far.
 */
export type LevelChanges = {
  readonly note: (side: "buy" | "sell", ticks: number) => void;
  readonly version: () => number;
  /** Each changed level once; undefined when the version is too old, or not of this book. */
  readonly since: (version: number) => readonly LevelChange[] | undefined;
};

/** About a second of a busy pair; a reader that is further behind needs the whole book anyway. */
const HELD_MAX = 8_192;

function createLevelChanges(levelAt: (side: "buy" | "sell", ticks: number) => Level | undefined): LevelChanges {
  /** Signed prices: below 0 is a bid. Prices are at least 1. */
  let held: number[] = [];
  let version = 0;

  return {
    note(side, ticks) {
      version++;
      held.push(side === "buy" ? -ticks : ticks);
      if (held.length >= 2 * HELD_MAX) held = held.slice(-HELD_MAX);
    },
    version: () => version,
    since(from) {
      const count = version - from;
      if (count < 0 || count > held.length) return undefined;
      const prices = new Set(count === 0 ? [] : held.slice(-count));
      return Array.from(prices, (signed) => {
        const side = signed < 0 ? "buy" : "sell";
        const ticks = Math.abs(signed);
        const level = levelAt(side, ticks);
        return { side, ticks, lots: level?.lots ?? 0n, grid: level?.grid ?? 0 };
      });
    },
  };
}
