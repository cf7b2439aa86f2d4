import type { Redis } from "ioredis";
import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import { parseMoney } from "../../shared/money.ts";
import type { KnownPairs } from "../pairs/known-pairs.ts";
import { userTradesKey } from "../projections/keys.ts";
import type { Fill, OrderAnswer } from "./order-answer.ts";
import { scanNewestFirst } from "./scan-list.ts";

/** The latest executions of each user, as the projection keeps them. */
export type TradeStore = {
  readonly ofUser: (user: string, page: TradePage) => Promise<{ readonly trades: readonly Fill[]; readonly nextCursor: string | null }>;
  readonly ofOrder: (user: string, order: OrderAnswer) => Promise<{ readonly fills: Fill[]; readonly hasAllFills: boolean }>;
};

export type TradePage = { readonly pair: string | undefined; readonly beforeId: number | undefined; readonly limit: number };

const storedSchema = z.object({
  id: z.int(),
  pair: z.string(),
  price: z.string(),
  quantity: z.string(),
  value: z.string(),
  at: z.int(),
  side: z.enum(["buy", "sell"]),
  role: z.enum(["maker", "taker"]),
  order_id: z.int(),
  fee: z.string(),
});

type StoredTrade = z.output<typeof storedSchema>;

const parseTrade = (text: string): StoredTrade => storedSchema.parse(JSON.parse(text));

export function openTradeStore({ redis, pairs }: { readonly redis: Redis; readonly pairs: KnownPairs }): TradeStore {
  function fillOf({ order_id: orderId, role: liquidity, id, ...trade }: StoredTrade): Fill {
    const pair = pairs.pair(trade.pair);
    assert(pair !== undefined, "the pair of a trade is known");
    const feeCurrency = trade.side === "buy" ? pair.baseCurrency : pair.quoteCurrency;
    return { ...trade, id: String(id), orderId: String(orderId), feeCurrency, liquidity };
  }

  return {
    async ofUser(user, { pair, beforeId = Number.POSITIVE_INFINITY, limit }) {
      const found: StoredTrade[] = [];
      for await (const trade of scanNewestFirst(redis, userTradesKey(user), parseTrade)) {
        if (trade.id < beforeId && (pair === undefined || trade.pair === pair)) found.push(trade);
        if (found.length > limit) break;
      }
      const trades = found.slice(0, limit);
      await pairs.meetPairs(trades.map((trade) => trade.pair));
      return { trades: trades.map(fillOf), nextCursor: found.length > limit ? String(trades.at(-1)?.id) : null };
    },

    /** The fills add up to what is filled: then all are found, and nobody looks further. */
    async ofOrder(user, order) {
      const wanted = stepsOf(order.filledQuantity);
      const fills: Fill[] = [];
      let found = 0n;
      if (wanted === 0n) return { fills, hasAllFills: true };
      for await (const trade of scanNewestFirst(redis, userTradesKey(user), parseTrade)) {
        if (String(trade.order_id) !== order.id) continue;
        fills.push(fillOf(trade));
        found += stepsOf(trade.quantity);
        if (found >= wanted) break;
      }
      return { fills: fills.reverse(), hasAllFills: found === wanted };
    },
  };
}

const SCALE_MAX = 18;

function stepsOf(text: string): bigint {
  const parsed = parseMoney(text, SCALE_MAX);
  assert(parsed.ok, "an amount in Redis is one that we wrote");
  return parsed.value;
}
