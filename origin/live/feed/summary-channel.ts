import { assert } from "../../../shared/assert.ts";
import { priceText, quantityText } from "../../instruments/grid.ts";
import { bucketStart } from "../../market/candles/frames.ts";
import { type BestPrices, type Summary, summaryOf } from "../../market/summary/summary.ts";
import type { LiveMemory } from "./live-memory.ts";
import type { PublicChannel } from "./public-channel.ts";

/** `summary:<pair>`: the pair's summary as a whole, whenever it has changed. */
export function createSummaryChannel(pair: string, memory: LiveMemory): PublicChannel {
  let shown = versionOf(pair, memory);
  const snapshot = () => JSON.stringify(liveSummary(pair, memory));
  return {
    name: `summary:${pair}`,
    pace: "slow",
    isDirty: () => versionOf(pair, memory) !== shown,
    flush() {
      shown = versionOf(pair, memory);
      return { type: "update", data: snapshot() };
    },
    snapshot,
    since: snapshot,
  };
}

/** `summary`: the summaries that have changed, of all pairs; a snapshot has all. */
export function createSummariesChannel(memory: LiveMemory): PublicChannel {
  const shown = new Map<string, string>();
  const names = () => [...memory.pairs.keys()].sort();
  const dataOf = (pairs: readonly string[]) =>
    JSON.stringify({ summaries: pairs.map((pair) => liveSummary(pair, memory)) });
  const changed = () => names().filter((pair) => shown.get(pair) !== versionOf(pair, memory));

  function note(pairs: readonly string[]): void {
    for (const pair of pairs) shown.set(pair, versionOf(pair, memory));
  }

  note(names());
  return {
    name: "summary",
    pace: "slow",
    isDirty: () => names().some((pair) => shown.get(pair) !== versionOf(pair, memory)),
    flush() {
      const pairs = changed();
      note(pairs);
      return { type: "update", data: dataOf(pairs) };
    },
    snapshot: () => dataOf(names()),
    since: () => dataOf(names()),
  };
}

/** Changes with everything that a summary shows: trades, the book, and the minutes that leave the 24 hours. */
function versionOf(pair: string, memory: LiveMemory): string {
  const minute = bucketStart("1m", memory.at);
  return `${memory.market(pair)?.sequence() ?? 0} ${memory.books.version(pair)} ${minute}`;
}

export function liveSummary(pair: string, memory: LiveMemory): Summary {
  const row = memory.pairs.get(pair);
  assert(row !== undefined, "the pair of a summary's channel is known");
  const grid = memory.grids.of(pair, row.grid);
  const day = memory.market(pair)?.day();
  day?.moveTo(memory.at);
  const facts = { lastPrice: day?.lastPrice(), day: day?.figures(), best: bestOf(pair, memory), at: memory.at };
  return summaryOf({ pair: grid, ...facts });
}

function bestOf(pair: string, memory: LiveMemory): BestPrices {
  const { bids, asks } = memory.books.top(pair, 1);
  const [bid, ask] = [bids[0], asks[0]];
  const price = (level: typeof bid) =>
    level === undefined ? null : priceText(level.ticks, memory.grids.of(pair, level.grid));
  const volume = (level: typeof bid) =>
    level === undefined ? "0" : quantityText(level.lots, memory.grids.of(pair, level.grid));
  return { bestBid: price(bid), bestAsk: price(ask), bidVolume: volume(bid), askVolume: volume(ask) };
}
