import type { Redis } from "ioredis";
import type { Grid } from "../../instruments/grid.ts";
import type { Write } from "../../state/writes.ts";
import type { PairScales } from "../candles/candle-view.ts";
import { positionKey, positionPairsKey } from "../keys.ts";
import type { MarketTrade } from "../market-trade.ts";
import { NO_POSITION, type Position, positionAfter, positionFrom, positionText } from "./position.ts";

/**
 * The positions that the projection works on: read from Redis when a user trades, kept for a while, and written with
 * the next step. A trade must find both of its users loaded.
 */
export type PositionBook = {
  /** Reads the positions of these trades that are not in memory. */
  readonly meet: (trades: readonly MarketTrade[], scalesOf: (trade: MarketTrade) => PairScales) => Promise<void>;
  readonly absorb: (trade: MarketTrade, grid: Grid) => void;
  readonly takeWrites: () => readonly Write[];
};

type Held = { readonly user: string; readonly pair: string; position: Position; isNew: boolean };

/** Some 20 MB; everything is in Redis after a step. */
const HELD_MAX = 100_000;
const READ_MAX = 1_000;

/** Without `redis`, unknown positions are empty: for a rebuild, which begins before the first trade. */
export function createPositionBook(redis: Redis | undefined): PositionBook {
  const held = new Map<string, Held>();
  const changed = new Map<Held, PairScales>();

  function hold(user: string, pair: string): Held {
    const key = positionKey(user, pair);
    const known = held.get(key);
    if (known !== undefined) return known;
    const fresh = { user, pair, position: NO_POSITION, isNew: true };
    held.set(key, fresh);
    return fresh;
  }

  async function read(unknown: ReadonlyMap<string, { user: string; pair: string; scales: PairScales }>): Promise<void> {
    const all = [...unknown];
    for (let from = 0; from < all.length; from += READ_MAX) {
      const page = all.slice(from, from + READ_MAX);
      const texts = (await redis?.mget(page.map(([key]) => key))) ?? [];
      for (const [place, [key, { user, pair, scales }]] of page.entries()) {
        const text = texts[place] ?? null;
        const position = text === null ? NO_POSITION : positionFrom(text, scales);
        held.set(key, { user, pair, position, isNew: text === null });
      }
    }
  }

  function apply(side: "buy" | "sell", trade: MarketTrade, grid: Grid): void {
    const isBuy = side === "buy";
    const one = hold(isBuy ? trade.buyUser : trade.sellUser, trade.pair);
    const fee = isBuy ? trade.buyFee : trade.sellFee;
    const quantity = BigInt(trade.lots) * grid.lotSteps;
    one.position = positionAfter(one.position, { side, quantity, value: trade.value, fee });
    changed.set(one, grid);
  }

  return {
    async meet(trades, scalesOf) {
      if (redis === undefined) return;
      const unknown = new Map<string, { user: string; pair: string; scales: PairScales }>();
      for (const trade of trades) {
        for (const user of [trade.buyUser, trade.sellUser]) {
          const key = positionKey(user, trade.pair);
          if (!held.has(key)) unknown.set(key, { user, pair: trade.pair, scales: scalesOf(trade) });
        }
      }
      if (unknown.size > 0) await read(unknown);
    },
    absorb(trade, grid) {
      apply("buy", trade, grid);
      apply("sell", trade, grid);
    },
    takeWrites() {
      const writes: Write[] = [];
      for (const [one, scales] of changed) {
        writes.push(["SET", positionKey(one.user, one.pair), positionText(one.position, scales)]);
        if (one.isNew) writes.push(["SADD", positionPairsKey(one.user), one.pair]);
        one.isNew = false;
      }
      changed.clear();
      // A rebuild has nowhere to read them from.
      if (held.size > HELD_MAX && redis !== undefined) held.clear();
      return writes;
    },
  };
}
