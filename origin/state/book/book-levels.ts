import type { OrderRow } from "../engine/changes.ts";
import { createLevelChanges, type LevelChange, type LevelChanges } from "./level-changes.ts";
import { createSortedLevels, type Level, type SortedLevels } from "./sorted-levels.ts";

/**
 * How much rests at each price, from rows that say how each order stands now. Of an order only the remaining quantity is remembered, so that
 * a row that comes twice, or after later ones were left out, changes nothing.
 */
export type BookLevels = {
  readonly put: (order: OrderRow) => void;
  /** The best levels of each side; costs what it returns, however deep the book is. */
  readonly top: (pair: string, depth: number) => { readonly bids: readonly Level[]; readonly asks: readonly Level[] };
  /** Grows with every change of a level of the pair. */
  readonly version: (pair: string) => number;
  /** Levels that have changed behind a version, as they are now; undefined when that is too long ago: then `top` tells all. */
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
      const isOpen = status === "open" || status === "partiallyFilled";
      const rest = isOpen ? { pair, side, ticks, lots: lots - filledLots } : undefined;
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
    version: (pair) => bookOf(pair).changes.version(),
    changesSince: (pair, version) => bookOf(pair).changes.since(version),
    visits: () => [...books.values()].reduce((sum, { buy, sell }) => sum + buy.visits() + sell.visits(), 0),
  };
}
