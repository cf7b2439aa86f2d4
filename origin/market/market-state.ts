import type { PairRow } from "../engine/changes.ts";
import type { Grids } from "../instruments/grids.ts";
import type { JournalPosition } from "../journal/journal.ts";
import type { Write } from "../state/writes.ts";
import { MARKET_KEY, MARKET_PAIRS_KEY } from "./keys.ts";
import type { MarketTrade } from "./market-trade.ts";
import { createPairMarket, type PairMarket, type PairState } from "./pair-market.ts";
import type { PositionBook } from "./positions/position-book.ts";

/** All market data in memory, ahead of Redis by the entries of one step. */
export type MarketState = {
  readonly grids: Grids;
  /** The newest terms of every pair. */
  readonly terms: Map<string, PairRow>;
  readonly pairs: Map<string, PairMarket>;
  readonly positions: PositionBook;
  readonly absorb: (trades: readonly MarketTrade[]) => void;
  /** The commands that bring Redis to this state, without the position. */
  readonly takeWrites: () => readonly Write[];
};

type StateParts = Pick<MarketState, "grids" | "positions"> & {
  readonly terms: readonly PairRow[];
  readonly pairs: readonly PairMarket[];
};

export function createMarketState({ grids, positions, terms, pairs: known }: StateParts): MarketState {
  const pairs = new Map(known.map((market) => [market.pair, market]));

  function marketOf(pair: string): PairMarket {
    let market = pairs.get(pair);
    if (market === undefined) {
      market = createPairMarket(pair);
      pairs.set(pair, market);
    }
    return market;
  }

  return {
    grids,
    positions,
    pairs,
    terms: new Map(terms.map((row) => [row.pair, row])),
    absorb(trades) {
      for (const trade of trades) {
        const grid = grids.of(trade.pair, trade.grid);
        marketOf(trade.pair).absorb(trade, grid);
        positions.absorb(trade, grid);
      }
    },
    takeWrites() {
      const writes: Write[] = [];
      const states: Write = ["HSET", MARKET_PAIRS_KEY];
      for (const market of pairs.values()) {
        if (!market.hasChanged()) continue;
        for (const write of market.takeWrites()) writes.push(write);
        states.push(market.pair, pairStateText(market.state()));
      }
      if (states.length > 2) writes.push(states);
      for (const write of positions.takeWrites()) writes.push(write);
      return writes;
    },
  };
}

/** A position in the journal, and the journal's time there. */
export type MarketPosition = JournalPosition & { readonly at: number };

export function positionWrite({ sequence, hash, command, at }: MarketPosition): Write {
  return ["HSET", MARKET_KEY, "sequence", sequence, "hash", hash, "command", command, "at", at];
}

function pairStateText({ trades, aggregates, aggregated, lastId, lastAt, lastPrice }: PairState): string {
  return JSON.stringify([trades, aggregates, aggregated, lastId, lastAt, lastPrice.toString()]);
}

export function pairStateFrom(text: string): PairState {
  const [trades, aggregates, aggregated, lastId, lastAt, lastPrice] = JSON.parse(text) as [
    ...[number, number, string, number, number, string],
  ];
  return { trades, aggregates, aggregated, lastId, lastAt, lastPrice: BigInt(lastPrice) };
}
