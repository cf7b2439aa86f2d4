import type { Redis } from "ioredis";
import { DatabaseUnavailable } from "../db/database.ts";
import type { History } from "../record/history/history.ts";
import { createUsersWithoutMore } from "../record/history/users-without-more.ts";
import { replies } from "../redis/pipeline.ts";
import { openOrdersKey, orderKey, PROJECTED_KEY, pendingOrdersKey } from "../state/keys.ts";
import type { KnownPairs } from "../state/known-pairs.ts";
import type { OrderHash } from "../state/order-writes.ts";
import { type HeldOrders, type HeldSpan, heldOrders } from "./held-orders.ts";
import { pairOfStored, storedOrder } from "./stored-order.ts";
import type { TradeStore } from "./trade-store.ts";
import type { Order, OrderList, OrderPage, OrderWithFills } from "./trading-port.ts";

/**
 * Orders of a user: in Redis while they are open and for some minutes after, then in PostgreSQL, finally in the
 * archive. An order leaves Redis only when PostgreSQL has it, so reading Redis first and PostgreSQL second finds it.
 * The owner is checked with every order that is read.
 */
export type OrderStore = {
  /** Undefined when this user has no such order. */
  readonly read: (user: string, orderId: number) => Promise<OrderWithFills | undefined>;
  /** The same without its fills. */
  readonly find: (user: string, orderId: number) => Promise<Order | undefined>;
  /** Those that belong to this user, without those in the archive. */
  readonly readAll: (user: string, orderIds: readonly number[]) => Promise<readonly Order[]>;
  /** Whether this order belongs to this user. */
  readonly isOwn: (user: string, orderId: number) => Promise<boolean>;
  readonly list: (user: string, page: OrderPage) => Promise<OrderList>;
};

/** How many orders one page examines: a filter that matches few of them makes short pages, not long waits. */
const LOOKED_AT_MAX = 500;

type StoreParts = {
  readonly redis: Redis;
  readonly pairs: KnownPairs;
  readonly trades: TradeStore;
  readonly history: History;
};

export function openOrderStore({ redis, pairs, trades, history }: StoreParts): OrderStore {
  const withoutMore = createUsersWithoutMore();

  async function answersOf(user: string, stored: readonly OrderHash[]): Promise<readonly Order[]> {
    await pairs.meetPairs(stored.flatMap(pairOfStored));
    return stored.flatMap((order) => storedOrder(order, user, pairs) ?? []);
  }

  async function readAll(user: string, orderIds: readonly number[]): Promise<readonly Order[]> {
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

  /** Undefined also for an id that does not exist yet, without a read in PostgreSQL. */
  async function find(orderId: number): Promise<OrderHash | undefined> {
    const [held, nextOrderId] = await replies(
      redis.pipeline().hgetall(orderKey(orderId)).hget(PROJECTED_KEY, "next_order_id"),
    );
    if (isThere(held as OrderHash)) return held as OrderHash;
    return orderId >= Number(nextOrderId ?? 0) ? undefined : history.findOrder(orderId);
  }

  async function findOwn(user: string, orderId: number): Promise<Order | undefined> {
    const stored = await find(orderId);
    return stored === undefined ? undefined : (await answersOf(user, [stored]))[0];
  }

  /**
   * The orders that a page examines: from Redis, and from PostgreSQL where Redis may lack some. One more than `count`
   * if there are more.
   */
  async function ordersOf(user: string, { key, beforeId, count }: Span): Promise<Looked> {
    const held = await heldOrders(redis, { user, key, beforeId, count, isWithoutMore: withoutMore.has(user) });
    if (held.isComplete) return held;
    try {
      const recorded = await history.ordersBefore(user, {
        beforeId: beforeId ?? Number.POSITIVE_INFINITY,
        limit: count + 1,
      });
      if (beforeId === undefined && hasNoneBesides(held.orders, recorded)) withoutMore.add(user);
      // PostgreSQL is some seconds behind: where both have an order, Redis has the newer state.
      const all = new Map([...recorded, ...held.orders].map((order) => [Number(order["id"]), order]));
      const orders = [...all.values()].toSorted((first, second) => Number(second["id"]) - Number(first["id"]));
      return { orders: orders.slice(0, count), hasMore: orders.length > count };
    } catch (error) {
      // Recent orders are shown; the next page begins below them.
      if (error instanceof DatabaseUnavailable && held.recent.length > 0) return { orders: held.recent, hasMore: true };
      throw error;
    }
  }

  return {
    readAll,
    find: findOwn,
    async read(user, orderId) {
      const order = await findOwn(user, orderId);
      return order && { ...order, ...(await trades.ofOrder(user, order)) };
    },
    isOwn: async (user, orderId) => (await find(orderId))?.["user"] === user,
    async list(user, { status, pair, beforeId, limit }) {
      const key = indexOf(user, status);
      const isFiltered = pair !== undefined || !(status === undefined || status === "open" || status === "pending");
      const looked = await ordersOf(user, { key, beforeId, count: isFiltered ? LOOKED_AT_MAX : limit });
      const fitting = (await answersOf(user, looked.orders)).filter((order) => isWanted(order, { status, pair }));
      const orders = fitting.slice(0, limit);
      const last = fitting.length > limit ? orders.at(-1)?.id : looked.orders.at(-1)?.["id"];
      return { orders, nextCursor: (fitting.length > limit || looked.hasMore) && last !== undefined ? last : null };
    },
  };
}

/** The list in Redis that has no gaps; undefined for the list of all orders. */
function indexOf(user: string, status: OrderPage["status"]): string | undefined {
  if (status === "pending") return pendingOrdersKey(user);
  return status === "open" || status === "partiallyFilled" ? openOrdersKey(user) : undefined;
}

type Span = Omit<HeldSpan, "user" | "isWithoutMore">;
type Looked = Pick<HeldOrders, "orders" | "hasMore">;

/** Whether PostgreSQL has no order on the newest page that Redis does not have. */
function hasNoneBesides(held: readonly OrderHash[], recorded: readonly OrderHash[]): boolean {
  const ids = new Set(held.map(({ id }) => id));
  return recorded.every(({ id }) => ids.has(id));
}

const isThere = (stored: OrderHash): boolean => stored["id"] !== undefined;

function isWanted(order: Order, { status, pair }: Pick<OrderPage, "status" | "pair">): boolean {
  return (
    (pair === undefined || order.pair === pair) &&
    (status === undefined || status === "open" || order.status === status)
  );
}
