import { expect, it } from "vitest";
import { seededRandom } from "../../../kit/random.ts";
import { createLiveBook } from "../../../shared/live/live-book.ts";
import type { OrderRow } from "../../engine/changes.ts";
import { priceText, quantityText } from "../../instruments/grid.ts";
import { createBookLevels } from "../../state/book/book-levels.ts";
import { createBookChannel } from "./book-channel.ts";
import { BOOK_DEPTH, type LiveMemory } from "./live-memory.ts";

const GRID = {
  ...{ pair: "btcidr", grid: 1, baseCurrency: "btc", quoteCurrency: "idr", baseScale: 8, quoteScale: 2 },
  ...{ tickSteps: 1n, lotSteps: 1n },
};

/** Prices around the depth of the view: levels leave it and come back into it all the time. */
it("shows exactly the best prices of a book that is deeper than the view", () => {
  const random = seededRandom(61);
  const books = createBookLevels();
  const memory = {
    ...{
      books,
      at: 0,
      position: { sequence: 1 },
      pairs: new Map([["btcidr", { grid: 1 }]]),
      grids: { of: () => GRID },
    },
    ...{ bookSequence: () => 0, regriddedAt: () => 0, bookVersionAt: () => undefined, bookWholeFrom: () => undefined },
  } as unknown as LiveMemory;
  const resting: OrderRow[] = [];
  let nextId = 1;

  function place(): void {
    const side = random.chance(0.5) ? "buy" : "sell";
    const away = random.between(1, 1_400);
    const order = { id: nextId++, pair: "btcidr", grid: 1, side, ticks: 10_000 + (side === "buy" ? -away : away) };
    resting.push({ ...order, lots: random.between(1, 9), filledLots: 0, status: "open" } as OrderRow);
    books.put(resting.at(-1) as OrderRow);
  }

  function cancel(): void {
    const [order] = resting.splice(random.between(0, resting.length - 1), 1);
    if (order !== undefined) books.put({ ...order, status: "cancelled" });
  }

  for (let count = 0; count < 6_000; count++) place();
  const channel = createBookChannel("btcidr", memory);
  const book = createLiveBook();
  const facts = { channel: "book:btcidr", epoch: "e" };
  book.apply({ ...facts, seq: 1, prev: 0, type: "snapshot", data: JSON.parse(channel.snapshot()) });
  let deepest = 0;
  let shallowest = Number.POSITIVE_INFINITY;
  for (let seq = 2; seq < 260; seq++) {
    // The book shrinks below the view and grows beyond it again.
    const grows = Math.floor(seq / 60) % 2 === 1;
    for (let count = 0; count < 80; count++)
      if (random.chance(grows ? 0.8 : 0.2)) place();
      else cancel();
    (memory.position as { sequence: number }).sequence = seq;
    const { type, data } = channel.flush();
    expect(book.apply({ ...facts, seq, prev: seq - 1, type, data: JSON.parse(data) })).toBe(true);
    const { bids, asks } = books.top("btcidr", BOOK_DEPTH);
    const shown = (levels: typeof bids) =>
      levels.map(({ ticks, lots }) => [priceText(ticks, GRID), quantityText(lots, GRID)]);
    expect(JSON.stringify([seq, book.bids(), book.asks()])).toBe(JSON.stringify([seq, shown(bids), shown(asks)]));
    deepest = Math.max(deepest, books.depth("btcidr"));
    shallowest = Math.min(shallowest, books.depth("btcidr"));
  }
  expect(deepest).toBeGreaterThan(BOOK_DEPTH);
  expect(shallowest).toBeLessThan(BOOK_DEPTH);
});
