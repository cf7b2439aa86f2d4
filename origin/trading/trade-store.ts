import type { Redis } from "ioredis";
import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import { parseMoney } from "../../shared/money.ts";
import { DatabaseUnavailable } from "../db/database.ts";
import type { History } from "../history/history.ts";
import { createUsersWithoutMore } from "../history/users-without-more.ts";
import type { KnownPairs } from "../pairs/known-pairs.ts";
import { BELOW_KEY, userTradesKey } from "../projections/keys.ts";
import { USER_TRADES_MAX } from "../projections/trade-writes.ts";
import type { Fill, OrderAnswer } from "./order-answer.ts";
import { scanNewestFirst } from "./scan-list.ts";

/** Executions of each user: the latest from Redis, the rest from the ledger. */
export type TradeStore = {
  /** Undefined for the moments in which some have left Redis and the ledger does not have them yet. */
  readonly ofUser: (user: string, page: TradePage) => Promise<ListedTrades | undefined>;
  readonly ofOrder: (user: string, order: OrderAnswer) => Promise<{ readonly fills: Fill[]; readonly hasAllFills: boolean }>;
};

export type TradePage = { readonly pair: string | undefined; readonly beforeId: number | undefined; readonly limit: number };

type ListedTrades = { readonly trades: readonly Fill[]; readonly nextCursor: string | null };

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

/** How many trades one page looks at in the ledger when it is of one pair: a pair that is rarely traded makes short pages, not long waits. */
const LOOKED_AT_MAX = 500;

type StoreParts = { readonly redis: Redis; readonly pairs: KnownPairs; readonly history: History };

export function openTradeStore({ redis, pairs, history }: StoreParts): TradeStore {
  const withoutMore = createUsersWithoutMore();

  function fillOf({ order_id: orderId, role: liquidity, id, ...trade }: StoredTrade): Fill {
    const pair = pairs.pair(trade.pair);
    assert(pair !== undefined, "the pair of a trade is known");
    const feeCurrency = trade.side === "buy" ? pair.baseCurrency : pair.quoteCurrency;
    return { ...trade, id: String(id), orderId: String(orderId), feeCurrency, liquidity };
  }

  /** A list that is shorter than it may be was never cut, so there is nothing else; unless a restore did not bring all along. */
  async function mayBeCut(user: string, length: number): Promise<boolean> {
    if (length >= USER_TRADES_MAX) return true;
    return !withoutMore.has(user) && Number((await redis.hget(BELOW_KEY, "trades")) ?? 0) > 0;
  }

  async function answerOf(trades: readonly StoredTrade[], nextCursor: number | undefined): Promise<ListedTrades> {
    await pairs.meetPairs(trades.map((trade) => trade.pair));
    return { trades: trades.map(fillOf), nextCursor: nextCursor === undefined ? null : String(nextCursor) };
  }

  type Rest = { readonly page: TradePage; readonly found: readonly StoredTrade[]; readonly listLength: number; readonly lowestId: number };

  async function goOn(
    user: string,
    { page: { pair, beforeId, limit }, found, listLength, lowestId }: Rest,
  ): Promise<ListedTrades | undefined> {
    const from = Math.min(beforeId ?? Number.POSITIVE_INFINITY, lowestId);
    const count = pair === undefined ? limit - found.length + 1 : LOOKED_AT_MAX;
    const older = (await history.tradesBefore(user, { beforeId: from, limit: count })).map(parseTrade);
    // Ids have no gaps: if the ledger has the trade before the oldest in Redis, it has all that was cut.
    const isCut = listLength >= USER_TRADES_MAX && from === lowestId;
    if (isCut && older[0]?.id !== lowestId - 1 && (await history.lastTradeId()) < lowestId - 1) return undefined;
    const isFirst = beforeId === undefined || beforeId >= lowestId;
    if (isFirst && older.length === 0) withoutMore.add(user);
    const all = [...found, ...older.filter((trade) => pair === undefined || trade.pair === pair)];
    if (all.length > limit) return answerOf(all.slice(0, limit), all[limit - 1]?.id);
    return answerOf(all, older.length === count ? older.at(-1)?.id : undefined);
  }

  return {
    async ofUser(user, page) {
      const { limit } = page;
      const { found, listLength, lowestId } = await pageInRedis(user, page);
      if (found.length > limit) return answerOf(found.slice(0, limit), found[limit - 1]?.id);
      if (!(await mayBeCut(user, listLength))) return answerOf(found, undefined);
      try {
        return await goOn(user, { page, found, listLength, lowestId });
      } catch (error) {
        // What is recent can be told; the next page begins below it.
        if (error instanceof DatabaseUnavailable && found.length > 0) return answerOf(found, found.at(-1)?.id);
        throw error;
      }
    },

    /** The fills add up to what is filled: then all are found, and nobody looks further. */
    async ofOrder(user, order) {
      const wanted = stepsOf(order.filledQuantity);
      if (wanted === 0n) return { fills: [], hasAllFills: true };
      const { found, listLength } = await fillsInRedis(user, order.id, wanted);
      if (quantityOf(found) < wanted && (await mayBeCut(user, listLength))) {
        for (const trade of await recordedFills(user, order)) found.set(trade.id, trade);
      }
      const fills = [...found.values()].toSorted((first, second) => first.id - second.id);
      return { fills: fills.map(fillOf), hasAllFills: quantityOf(found) === wanted };
    },
  };

  /** One more than the page takes, where there are so many. */
  async function pageInRedis(user: string, { pair, beforeId = Number.POSITIVE_INFINITY, limit }: TradePage) {
    const found: StoredTrade[] = [];
    let listLength = 0;
    let lowestId = Number.POSITIVE_INFINITY;
    for await (const trade of scanNewestFirst(redis, userTradesKey(user), parseTrade)) {
      listLength++;
      lowestId = trade.id;
      if (trade.id < beforeId && (pair === undefined || trade.pair === pair)) found.push(trade);
      if (found.length > limit) break;
    }
    return { found, listLength, lowestId };
  }

  async function fillsInRedis(user: string, orderId: string, wanted: bigint) {
    const found = new Map<number, StoredTrade>();
    let listLength = 0;
    let quantity = 0n;
    // Nearly all of the list is other orders' trades: of those only the id is needed.
    const ofThisOrder = `"order_id":${orderId},`;
    const read = (text: string): { readonly id: number; readonly fill?: StoredTrade } => {
      if (!text.includes(ofThisOrder)) return { id: (JSON.parse(text) as { readonly id: number }).id };
      const fill = parseTrade(text);
      return { id: fill.id, fill };
    };
    for await (const { id, fill } of scanNewestFirst(redis, userTradesKey(user), read)) {
      listLength++;
      if (fill === undefined) continue;
      found.set(id, fill);
      quantity += stepsOf(fill.quantity);
      if (quantity >= wanted) break;
    }
    return { found, listLength };
  }

  /** None while PostgreSQL is unavailable: the answer says that some are missing. */
  async function recordedFills(user: string, order: OrderAnswer): Promise<readonly StoredTrade[]> {
    try {
      return (await history.tradesOfOrder(user, order)).map(parseTrade);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return [];
      throw error;
    }
  }
}

const quantityOf = (trades: ReadonlyMap<number, StoredTrade>): bigint =>
  [...trades.values()].reduce((total, { quantity }) => total + stepsOf(quantity), 0n);

const SCALE_MAX = 18;

function stepsOf(text: string): bigint {
  const parsed = parseMoney(text, SCALE_MAX);
  assert(parsed.ok, "an amount in Redis is one that we wrote");
  return parsed.value;
}
