import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { z } from "zod";
import { bookSnapshotKey, deepBookKey, pairTradesKey, WANTED_BOOKS_KEY } from "../state/keys.ts";
import { scanNewestFirst } from "./scan-list.ts";
import type { Book, TradeList } from "./trading-port.ts";

/** Public data of a pair from the projection. */
export type MarketStore = {
  /** Undefined while no worker writes the deep book that was asked for. */
  readonly book: (pair: string, depth: number) => Promise<Book | undefined>;
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
      const text = depth > SHALLOW ? await readDeep(redis, pair) : await redis.get(bookSnapshotKey(pair));
      if (text === undefined) return undefined;
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

/** The depth that every pair's snapshot has. */
const SHALLOW = 100;
const WANTED_SECONDS = 3;
const DEEP_WAIT_MS = 1_000;
const DEEP_LOOK_MS = 25;

/** Asks the projecting worker for a deep book, and waits for it. */
async function readDeep(redis: Redis, pair: string): Promise<string | undefined> {
  const known = await redis.get(deepBookKey(pair));
  if (known !== null) return known;
  await redis.multi().sadd(WANTED_BOOKS_KEY, pair).expire(WANTED_BOOKS_KEY, WANTED_SECONDS).exec();
  for (let waitedMs = 0; waitedMs < DEEP_WAIT_MS; waitedMs += DEEP_LOOK_MS) {
    await sleep(DEEP_LOOK_MS);
    const text = await redis.get(deepBookKey(pair));
    if (text !== null) return text;
  }
  return undefined;
}

/** A pair without any order so far. */
const EMPTY_BOOK: z.output<typeof bookSchema> = { sequence: 0, at: 0, bids: [], asks: [] };
