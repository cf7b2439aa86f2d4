import type { Redis } from "ioredis";
import type { FindOldOrder } from "../archive/find-old-order.ts";
import type { KnownPairs } from "../pairs/known-pairs.ts";
import { openOrdersKey, orderKey, userOrdersKey } from "../projections/keys.ts";
import { replies } from "../redis/pipeline.ts";
import type { OrderAnswer, OrderWithFills } from "./order-answer.ts";
import { pairOfStored, storedOrder } from "./stored-order.ts";
import type { TradeStore } from "./trade-store.ts";

/** Orders as the projection has them in Redis. Whose order it is is checked with each one that is read. */
export type OrderStore = {
  /** Undefined when this user has no such order. */
  readonly read: (user: string, orderId: number) => Promise<OrderWithFills | undefined>;
  readonly readAll: (user: string, orderIds: readonly number[]) => Promise<readonly OrderAnswer[]>;
  readonly list: (
    user: string,
    page: OrderPage,
  ) => Promise<{ readonly orders: readonly OrderAnswer[]; readonly nextCursor: string | null }>;
};

export type OrderPage = {
  /** `open` stands for all that are in the book. */
  readonly status: OrderAnswer["status"] | undefined;
  readonly pair: string | undefined;
  readonly beforeId: number | undefined;
  readonly limit: number;
};

/** How many orders one page looks at: a filter that fits few of them makes short pages, not long waits. */
const LOOKED_AT_MAX = 500;

export function openOrderStore({
  redis,
  pairs,
  trades,
  findOld,
}: {
  readonly redis: Redis;
  readonly pairs: KnownPairs;
  readonly trades: TradeStore;
  /** Orders that ended so long ago that Redis no longer has them. */
  readonly findOld: FindOldOrder;
}): OrderStore {
  async function readAll(user: string, orderIds: readonly number[]): Promise<readonly OrderAnswer[]> {
    if (orderIds.length === 0) return [];
    const pipeline = redis.pipeline();
    for (const id of orderIds) pipeline.hgetall(orderKey(id));
    const stored = await replies(pipeline);
    await pairs.meetPairs(stored.flatMap(pairOfStored));
    return stored.flatMap((reply) => storedOrder(reply, user, pairs) ?? []);
  }

  async function readOld(user: string, orderId: number): Promise<OrderAnswer | undefined> {
    const old = await findOld(orderId);
    await pairs.meetPairs(pairOfStored(old));
    return storedOrder(old, user, pairs);
  }

  return {
    readAll,
    async read(user, orderId) {
      const [kept] = await readAll(user, [orderId]);
      const order = kept ?? (await readOld(user, orderId));
      if (order === undefined) return undefined;
      return { ...order, ...(await trades.ofOrder(user, order)) };
    },
    async list(user, { status, pair, beforeId, limit }) {
      const key = status === "open" || status === "partiallyFilled" ? openOrdersKey(user) : userOrdersKey(user);
      const isFiltered = pair !== undefined || (status !== undefined && status !== "open");
      const count = isFiltered ? LOOKED_AT_MAX : limit;
      // Scores are ids below zero, so the newest stands first.
      const from = beforeId === undefined ? "-inf" : `(${-beforeId}`;
      // One more than is looked at says whether there is a next page.
      const ids = (await redis.zrange(key, from, "+inf", "BYSCORE", "LIMIT", 0, count + 1)).map(Number);
      const looked = await readAll(user, ids.slice(0, count));
      const fitting = looked.filter((order) => isWanted(order, { status, pair }));
      const orders = fitting.slice(0, limit);
      const hasMore = fitting.length > limit || ids.length > count;
      const last = fitting.length > limit ? orders.at(-1)?.id : ids[count - 1];
      return { orders, nextCursor: hasMore && last !== undefined ? String(last) : null };
    },
  };
}

function isWanted(order: OrderAnswer, { status, pair }: Pick<OrderPage, "status" | "pair">): boolean {
  return (pair === undefined || order.pair === pair) && (status === undefined || status === "open" || order.status === status);
}
