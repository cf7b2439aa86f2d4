import type { Redis } from "ioredis";
import { DatabaseUnavailable } from "../db/database.ts";
import type { History } from "../history/history.ts";
import { createUsersWithoutMore } from "../history/users-without-more.ts";
import type { KnownPairs } from "../pairs/known-pairs.ts";
import { openOrdersKey, orderKey, PROJECTED_KEY } from "../projections/keys.ts";
import type { OrderHash } from "../projections/order-fields.ts";
import { replies } from "../redis/pipeline.ts";
import { type HeldOrders, type HeldSpan, heldOrders } from "./held-orders.ts";
import type { OrderAnswer, OrderWithFills } from "./order-answer.ts";
import { pairOfStored, storedOrder } from "./stored-order.ts";
import type { TradeStore } from "./trade-store.ts";

/**
 * Orders of a user, wherever they are: in Redis while they are open and for some minutes after, then in PostgreSQL, at last in the archive. An order leaves
 * Redis only when PostgreSQL has it, so whoever asks Redis first and PostgreSQL second finds it. Whose order it is is checked with each one that is read.
 */
export type OrderStore = {
  /** Undefined when this user has no such order. */
  readonly read: (user: string, orderId: number) => Promise<OrderWithFills | undefined>;
  /** Those of them that are this user's, without those in the archive. */
  readonly readAll: (user: string, orderIds: readonly number[]) => Promise<readonly OrderAnswer[]>;
  /** Whether this is an order of this user. */
  readonly isOwn: (user: string, orderId: number) => Promise<boolean>;
  readonly list: (user: string, page: OrderPage) => Promise<ListedOrders>;
};

export type OrderPage = {
  /** `open` stands for all that are in the book. */
  readonly status: OrderAnswer["status"] | undefined;
  readonly pair: string | undefined;
  readonly beforeId: number | undefined;
  readonly limit: number;
};

type ListedOrders = { readonly orders: readonly OrderAnswer[]; readonly nextCursor: string | null };

/** How many orders one page looks at: a filter that fits few of them makes short pages, not long waits. */
const LOOKED_AT_MAX = 500;

type StoreParts = { readonly redis: Redis; readonly pairs: KnownPairs; readonly trades: TradeStore; readonly history: History };

export function openOrderStore({ redis, pairs, trades, history }: StoreParts): OrderStore {
  const withoutMore = createUsersWithoutMore();

  async function answersOf(user: string, stored: readonly OrderHash[]): Promise<readonly OrderAnswer[]> {
    await pairs.meetPairs(stored.flatMap(pairOfStored));
    return stored.flatMap((order) => storedOrder(order, user, pairs) ?? []);
  }

  async function readAll(user: string, orderIds: readonly number[]): Promise<readonly OrderAnswer[]> {
    if (orderIds.length === 0) return [];
    const pipeline = redis.pipeline();
    for (const id of orderIds) pipeline.hgetall(orderKey(id));
    const held = ((await replies(pipeline)) as readonly OrderHash[]).filter(isThere);
    const ids = new Set(held.map(({ id }) => Number(id)));
    const left = await history.findOrders(orderIds.filter((id) => !ids.has(id)));
    const byId = new Map([...held, ...left].map((order) => [Number(order["id"]), order]));
    const wanted = orderIds.map((id) => byId.get(id)).filter((order) => order !== undefined);
    return answersOf(user, wanted);
  }

  /** Undefined also for an id that was not given out yet, without a look into PostgreSQL. */
  async function find(orderId: number): Promise<OrderHash | undefined> {
    const [held, nextOrderId] = await replies(redis.pipeline().hgetall(orderKey(orderId)).hget(PROJECTED_KEY, "next_order_id"));
    if (isThere(held as OrderHash)) return held as OrderHash;
    return orderId >= Number(nextOrderId ?? 0) ? undefined : history.findOrder(orderId);
  }

  /** What the page looks at: from Redis, and from PostgreSQL where Redis may lack some. One more than `count` where there are more. */
  async function ordersOf(user: string, { key, beforeId, count }: Span): Promise<Looked> {
    const held = await heldOrders(redis, { user, key, beforeId, count, isWithoutMore: withoutMore.has(user) });
    if (held.isComplete) return held;
    try {
      const recorded = await history.ordersBefore(user, { beforeId: beforeId ?? Number.POSITIVE_INFINITY, limit: count + 1 });
      if (beforeId === undefined && hasNoneBesides(held.orders, recorded)) withoutMore.add(user);
      // PostgreSQL is some seconds behind: of what both have, Redis has the newer state.
      const all = new Map([...recorded, ...held.orders].map((order) => [Number(order["id"]), order]));
      const orders = [...all.values()].toSorted((first, second) => Number(second["id"]) - Number(first["id"]));
      return { orders: orders.slice(0, count), hasMore: orders.length > count };
    } catch (error) {
      // What is recent can be told; the next page begins below it.
      if (error instanceof DatabaseUnavailable && held.recent.length > 0) return { orders: held.recent, hasMore: true };
      throw error;
    }
  }

  return {
    readAll,
    async read(user, orderId) {
      const stored = await find(orderId);
      const [order] = stored === undefined ? [] : await answersOf(user, [stored]);
      if (order === undefined) return undefined;
      return { ...order, ...(await trades.ofOrder(user, order)) };
    },
    isOwn: async (user, orderId) => (await find(orderId))?.["user"] === user,
    async list(user, { status, pair, beforeId, limit }) {
      const key = status === "open" || status === "partiallyFilled" ? openOrdersKey(user) : undefined;
      const isFiltered = pair !== undefined || (status !== undefined && status !== "open");
      const looked = await ordersOf(user, { key, beforeId, count: isFiltered ? LOOKED_AT_MAX : limit });
      const fitting = (await answersOf(user, looked.orders)).filter((order) => isWanted(order, { status, pair }));
      const orders = fitting.slice(0, limit);
      const last = fitting.length > limit ? orders.at(-1)?.id : looked.orders.at(-1)?.["id"];
      return { orders, nextCursor: (fitting.length > limit || looked.hasMore) && last !== undefined ? last : null };
    },
  };
}

type Span = Omit<HeldSpan, "user" | "isWithoutMore">;
type Looked = Pick<HeldOrders, "orders" | "hasMore">;

/** A page of the newest orders in which PostgreSQL knows no other than Redis does. */
function hasNoneBesides(held: readonly OrderHash[], recorded: readonly OrderHash[]): boolean {
  const ids = new Set(held.map(({ id }) => id));
  return recorded.every(({ id }) => ids.has(id));
}

const isThere = (stored: OrderHash): boolean => stored["id"] !== undefined;

function isWanted(order: OrderAnswer, { status, pair }: Pick<OrderPage, "status" | "pair">): boolean {
  return (pair === undefined || order.pair === pair) && (status === undefined || status === "open" || order.status === status);
}
