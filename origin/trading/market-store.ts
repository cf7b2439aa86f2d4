import type { Redis } from "ioredis";
import { z } from "zod";
import { bookSnapshotKey, pairTradesKey } from "../state/keys.ts";
import { scanNewestFirst } from "./scan-list.ts";
import type { Book, TradeList } from "./trading-port.ts";

/** Public data of a pair from the projection. */
export type MarketStore = {
  readonly book: (pair: string, depth: number) => Promise<Book>;
  readonly trades: (
    pair: string,
    page: { readonly beforeId: number | undefined; readonly limit: number },
  ) => Promise<TradeList>;
};

const storedSchema = z.object({
  id: z.int(),
  price: z.string(),
  quantity: z.string(),
  value: z.string(),
  at: z.int(),
  taker_side: z.enum(["buy", "sell"]),
  auction: z.int().nullable().default(null),
});

const parseTrade = (text: string) => storedSchema.parse(JSON.parse(text));

const level = z.tuple([z.string(), z.string()]);
const bookSchema = z.object({ sequence: z.int(), at: z.int(), bids: z.array(level), asks: z.array(level) });

export function openMarketStore(redis: Redis): MarketStore {
  return {
    async book(pair, depth) {
      const text = await redis.get(bookSnapshotKey(pair));
      const { bids, asks, ...when } = text === null ? EMPTY_BOOK : bookSchema.parse(JSON.parse(text));
      return { pair, ...when, bids: bids.slice(0, depth), asks: asks.slice(0, depth) };
    },
    async trades(pair, { beforeId = Number.POSITIVE_INFINITY, limit }) {
      const found: z.output<typeof storedSchema>[] = [];
      for await (const trade of scanNewestFirst(redis, pairTradesKey(pair), parseTrade)) {
        if (trade.id < beforeId) found.push(trade);
        if (found.length > limit) break;
      }
      const shown = found.slice(0, limit);
      const trades = shown.map(({ id, taker_side: takerSide, ...trade }) => ({ ...trade, id: String(id), takerSide }));
      return { trades, nextCursor: found.length > limit ? String(shown.at(-1)?.id) : null };
    },
  };
}

/** A pair without any order so far. */
const EMPTY_BOOK: z.output<typeof bookSchema> = { sequence: 0, at: 0, bids: [], asks: [] };
