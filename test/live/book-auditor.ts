import type { Redis } from "ioredis";
import { expect } from "vitest";
import type { Changes, OrderRow } from "../../origin/engine/changes.ts";
import { priceText, quantityText } from "../../origin/instruments/grid.ts";
import { createGrids } from "../../origin/instruments/grids.ts";
import { readJournal } from "../../origin/journal/journal.ts";
import { changesFrom } from "../../origin/journal/journal-body.ts";
import type { LiveBook } from "../../shared/live/live-book.ts";

/** The book of a pair at any journal entry, made naively from the journal's orders. */
export type BookAuditor = {
  /** Compares a client's book with the journal at the client's own `seq`. */
  readonly compare: (book: LiveBook) => Promise<void>;
  readonly comparisons: () => number;
};

const PAGE = 200;

export function createBookAuditor(redis: Redis, pair: string): BookAuditor {
  const open = new Map<number, OrderRow>();
  const grids = createGrids();
  let at = 0;
  let comparisons = 0;

  async function advanceTo(sequence: number): Promise<void> {
    while (at < sequence) {
      const entries = await readJournal(redis, at, Math.min(PAGE, sequence - at));
      expect(entries[0]?.sequence, "the journal still holds the entry").toBe(at + 1);
      for (const { body } of entries) absorb(changesFrom(body));
      at = entries.at(-1)?.sequence ?? at;
    }
  }

  function absorb(changes: Changes): void {
    grids.learn(changes);
    for (const order of changes.orders) {
      if (order.status === "open" || order.status === "partiallyFilled") open.set(order.id, order);
      else open.delete(order.id);
    }
  }

  function levels(side: "buy" | "sell"): readonly (readonly [string, string])[] {
    const lots = new Map<number, number>();
    let grid = 1;
    for (const order of open.values()) {
      if (order.pair !== pair || order.side !== side) continue;
      grid = order.grid;
      lots.set(order.ticks, (lots.get(order.ticks) ?? 0) + order.lots - order.filledLots);
    }
    const sorted = [...lots].sort(([first], [second]) => (side === "buy" ? second - first : first - second));
    return sorted.map(([ticks, sum]) => [
      priceText(ticks, grids.of(pair, grid)),
      quantityText(sum, grids.of(pair, grid)),
    ]);
  }

  return {
    async compare(book) {
      const position = book.position();
      if (position === undefined) return;
      // Read now: the book moves on while the journal is read.
      const [bids, asks] = [book.bids(), book.asks()];
      await advanceTo(position.seq);
      if (at !== position.seq) return;
      expect({ seq: position.seq, bids, asks }).toEqual({ seq: at, bids: levels("buy"), asks: levels("sell") });
      comparisons++;
    },
    comparisons: () => comparisons,
  };
}
