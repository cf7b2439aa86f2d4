import { assert } from "../../../shared/assert.ts";
import { priceText, quantityText } from "../../instruments/grid.ts";
import type { LevelChange } from "../../state/book/book-levels.ts";
import type { Level } from "../../state/book/sorted-levels.ts";
import { BOOK_DEPTH, type LiveMemory } from "./live-memory.ts";
import type { PublicChannel } from "./public-channel.ts";

type Side = "buy" | "sell";
/** The worst price that readers know; undefined when they know all. */
type Bounds = { readonly buy: number | undefined; readonly sell: number | undefined };

/**
 * `book:<pair>`: the best `BOOK_DEPTH` prices of each side. An update has the levels that changed, and those that moved
 * up into view; a reader cuts off what is beyond the depth. Between two grids there is a new snapshot.
 */
export function createBookChannel(pair: string, memory: LiveMemory): PublicChannel {
  const { books } = memory;
  let flushedVersion = books.version(pair);
  let flushedSequence = memory.position.sequence;
  let bounds = boundsOf();

  /** Only a book that is deeper than the view is walked. */
  function boundsOf(): Bounds {
    if (books.depth(pair) <= BOOK_DEPTH) return { buy: undefined, sell: undefined };
    const { bids, asks } = books.top(pair, BOOK_DEPTH + 1);
    const bound = (levels: readonly Level[]) =>
      levels.length > BOOK_DEPTH ? levels[BOOK_DEPTH - 1]?.ticks : undefined;
    return { buy: bound(bids), sell: bound(asks) };
  }

  function textOf({ ticks, lots }: { readonly ticks: number; readonly lots: bigint }): string {
    const row = memory.pairs.get(pair);
    assert(row !== undefined, "the pair of a book's channel is known");
    const grid = memory.grids.of(pair, row.grid);
    return `["${priceText(ticks, grid)}","${lots === 0n ? "0" : quantityText(lots, grid)}"]`;
  }

  function dataOf(bids: readonly string[], asks: readonly string[]): string {
    return `{"bids":[${bids.join()}],"asks":[${asks.join()}],"at":${memory.at}}`;
  }

  function snapshot(): string {
    const { bids, asks } = books.top(pair, BOOK_DEPTH);
    return `${dataOf(bids.map(textOf), asks.map(textOf)).slice(0, -1)},"depth":${BOOK_DEPTH}}`;
  }

  function changeText(changes: readonly LevelChange[], revealed: readonly (Level & { readonly side: Side })[]): string {
    const of = (side: Side) => [...changes, ...revealed].filter((level) => level.side === side).map(textOf);
    return dataOf(of("buy"), of("sell"));
  }

  /** Levels within the new view that were beyond the old one. */
  function revealedSince(before: Bounds): readonly (Level & { readonly side: Side })[] {
    if (before.buy === undefined && before.sell === undefined) return [];
    const { bids, asks } = books.top(pair, BOOK_DEPTH);
    const { buy = 0, sell = Number.POSITIVE_INFINITY } = before;
    return [
      ...bids.filter(({ ticks }) => ticks < buy).map((level) => ({ ...level, side: "buy" as const })),
      ...asks.filter(({ ticks }) => ticks > sell).map((level) => ({ ...level, side: "sell" as const })),
    ];
  }

  return {
    name: `book:${pair}`,
    pace: "fast",
    isDirty: () => books.version(pair) !== flushedVersion || memory.bookSequence(pair) > flushedSequence,
    flush() {
      const isRegridded = memory.regriddedAt(pair) > flushedSequence;
      const changes = isRegridded ? undefined : books.changesSince(pair, flushedVersion);
      const before = bounds;
      bounds = boundsOf();
      flushedVersion = books.version(pair);
      flushedSequence = memory.position.sequence;
      if (changes === undefined) return { type: "reset", data: snapshot() };
      return { type: "update", data: changeText(changes, revealedSince(before)) };
    },
    snapshot,
    since(sequence) {
      const wholeFrom = memory.bookWholeFrom(pair);
      const version = memory.bookVersionAt(pair, sequence);
      if (version === undefined || wholeFrom === undefined || sequence < wholeFrom) return undefined;
      const changes = books.changesSince(pair, version);
      return changes === undefined ? undefined : changeText(changes, []);
    },
  };
}
