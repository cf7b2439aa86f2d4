import type { Redis } from "ioredis";
import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import { DatabaseUnavailable } from "../db/database.ts";
import { stepsOf } from "../instruments/amounts.ts";
import { feeCurrencyOf, type KnownPair } from "../instruments/grid.ts";
import type { History } from "../record/history/history.ts";
import { createUsersWithoutMore } from "../record/history/users-without-more.ts";
import { BELOW_KEY, userTradesKey } from "../state/keys.ts";
import type { KnownPairs } from "../state/known-pairs.ts";
import { USER_TRADES_MAX } from "../state/state-writes.ts";
import { scanNewestFirst } from "./scan-list.ts";
import type { Fill, FillList, Order, PairPage } from "./trading-port.ts";

/** Executions of each user: the latest from Redis, older ones from the ledger. */
export type TradeStore = {
  /** Undefined while some have left Redis and the ledger does not have them yet. */
  readonly ofUser: (user: string, page: PairPage) => Promise<FillList | undefined>;
  readonly ofOrder: (user: string, order: Order) => Promise<{ readonly fills: Fill[]; readonly hasAllFills: boolean }>;
};

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

/**
 * How many trades of the ledger one page of a single pair examines: a rarely traded pair makes short pages, not long
 * waits.
 */
const LOOKED_AT_MAX = 500;

type StoreParts = { readonly redis: Redis; readonly pairs: KnownPairs; readonly history: History };

export function openTradeStore({ redis, pairs, history }: StoreParts): TradeStore {
  const withoutMore = createUsersWithoutMore();

  function pairOf(name: string): KnownPair {
    const pair = pairs.pair(name);
    assert(pair !== undefined, "the pair of a trade is known");
    return pair;
  }

  function fillOf({ order_id: orderId, role: liquidity, id, ...trade }: StoredTrade): Fill {
    const feeCurrency = feeCurrencyOf(trade.side, pairOf(trade.pair));
    return { ...trade, id: String(id), orderId: String(orderId), feeCurrency, liquidity };
  }

  /** A list below its bound was never cut, so there is nothing else, unless a restore left some out. */
  async function mayBeCut(user: string, length: number): Promise<boolean> {
    if (length >= USER_TRADES_MAX) return true;
    return !withoutMore.has(user) && Number((await redis.hget(BELOW_KEY, "trades")) ?? 0) > 0;
  }

  async function answerOf(trades: readonly StoredTrade[], nextCursor: number | undefined): Promise<FillList> {
    await pairs.meetPairs(trades.map((trade) => trade.pair));
    return { trades: trades.map(fillOf), nextCursor: nextCursor === undefined ? null : String(nextCursor) };
  }

  type Rest = {
    readonly page: PairPage;
    readonly found: readonly StoredTrade[];
    readonly listLength: number;
    readonly lowestId: number;
  };

  async function readOlder(
    user: string,
    { page: { pair, beforeId, limit }, found, listLength, lowestId }: Rest,
  ): Promise<FillList | undefined> {
    const from = Math.min(beforeId ?? Number.POSITIVE_INFINITY, lowestId);
    const count = pair === undefined ? limit - found.length + 1 : LOOKED_AT_MAX;
    const older = (await history.tradesBefore(user, { beforeId: from, limit: count })).map(parseTrade);
    // Ids have no gaps: if the ledger has the trade before the oldest in Redis, it has everything that was cut.
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
        return await readOlder(user, { page, found, listLength, lowestId });
      } catch (error) {
        // Recent trades are shown; the next page begins below them.
        if (error instanceof DatabaseUnavailable && found.length > 0) return answerOf(found, found.at(-1)?.id);
        throw error;
      }
    },

    /** If the fills add up to the filled quantity, all are found, and PostgreSQL is not read. */
    async ofOrder(user, order) {
      const { baseScale } = pairOf(order.pair);
      const wanted = stepsOf(order.filledQuantity, baseScale);
      if (wanted === 0n) return { fills: [], hasAllFills: true };
      const { found, listLength } = await fillsInRedis(user, order, { wanted, baseScale });
      if (quantityOf(found, baseScale) < wanted && (await mayBeCut(user, listLength))) {
        for (const trade of await recordedFills(user, order)) found.set(trade.id, trade);
      }
      const fills = [...found.values()].toSorted((first, second) => first.id - second.id);
      return { fills: fills.map(fillOf), hasAllFills: quantityOf(found, baseScale) === wanted };
    },
  };

  /** One more than the page needs, if there are more. */
  async function pageInRedis(user: string, { pair, beforeId = Number.POSITIVE_INFINITY, limit }: PairPage) {
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

  async function fillsInRedis(
    user: string,
    { id: orderId, updatedAt }: Order,
    { wanted, baseScale }: { readonly wanted: bigint; readonly baseScale: number },
  ) {
    const found = new Map<number, StoredTrade>();
    let listLength = 0;
    let quantity = 0n;
    // Most of the list belongs to other orders: of those only the id is needed.
    const ofThisOrder = `"order_id":${orderId},`;
    const read = (text: string): { readonly id: number; readonly fill?: StoredTrade } => {
      if (!text.includes(ofThisOrder)) return { id: (JSON.parse(text) as { readonly id: number }).id };
      const fill = parseTrade(text);
      return { id: fill.id, fill };
    };
    for await (const { id, fill } of scanNewestFirst(redis, userTradesKey(user), read)) {
      listLength++;
      // A later fill came after the order was read: it is not part of this answer.
      if (fill === undefined || fill.at > updatedAt) continue;
      found.set(id, fill);
      quantity += stepsOf(fill.quantity, baseScale);
      if (quantity >= wanted) break;
    }
    return { found, listLength };
  }

  /** Empty while PostgreSQL is unavailable: the answer then says that some are missing. */
  async function recordedFills(user: string, order: Order): Promise<readonly StoredTrade[]> {
    try {
      return (await history.tradesOfOrder(user, order)).map(parseTrade);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return [];
      throw error;
    }
  }
}

const quantityOf = (trades: ReadonlyMap<number, StoredTrade>, baseScale: number): bigint =>
  [...trades.values()].reduce((total, { quantity }) => total + stepsOf(quantity, baseScale), 0n);
