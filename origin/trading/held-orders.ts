import type { Redis } from "ioredis";
import { replies } from "../redis/pipeline.ts";
import { BELOW_KEY, ORDERS_BELOW_MEMBER, orderKey, userOrdersKey } from "../state/keys.ts";
import type { OrderHash } from "../state/order-writes.ts";

/** The part of a page of a user's orders that Redis has, the newest first, and whether it is complete. */
export type HeldOrders = {
  readonly orders: readonly OrderHash[];
  /** No order of the page is missing. */
  readonly isComplete: boolean;
  /** Whether more orders follow the page; only meaningful for a complete page. */
  readonly hasMore: boolean;
  /** The orders above everything that may have left Redis. */
  readonly recent: readonly OrderHash[];
};

export type HeldSpan = {
  readonly user: string;
  /** A list without gaps, of open orders; undefined for the list of all orders. */
  readonly key: string | undefined;
  readonly beforeId: number | undefined;
  readonly count: number;
  /** No order of this user is missing since a restore or an upgrade. */
  readonly isWithoutMore: boolean;
};

/** Scores are negative ids, so the newest order is first. */
export async function heldOrders(
  redis: Redis,
  { user, key = userOrdersKey(user), ...span }: HeldSpan,
): Promise<HeldOrders> {
  const { beforeId, count, isWithoutMore } = span;
  const from = beforeId === undefined ? "-inf" : `(${-beforeId}`;
  // One more than requested tells whether there is a next page; another one may be the mark of evicted orders.
  const [members, ofUser, ofAll] = await replies(
    redis
      .pipeline()
      .zrange(key, from, "+inf", "BYSCORE", "LIMIT", 0, count + 2)
      .zscore(key, ORDERS_BELOW_MEMBER)
      .hget(BELOW_KEY, "orders"),
  );
  const hasGaps = key === userOrdersKey(user);
  const below = hasGaps ? Math.max(-Number(ofUser ?? 0), isWithoutMore ? 0 : Number(ofAll ?? 0)) : 0;
  const ids = (members as readonly string[]).filter((member) => member !== ORDERS_BELOW_MEMBER).map(Number);
  const looked = ids.slice(0, count);
  const stored = await readHashes(redis, looked);
  const orders = stored.filter((order) => order["id"] !== undefined);
  const firstUnsure = stored.findIndex((order) => order["id"] === undefined || Number(order["id"]) <= below);
  const recent = firstUnsure === -1 ? stored : stored.slice(0, firstUnsure);
  // An order that was in the list and is gone has just ended and left; open orders are never evicted.
  const isWhole = orders.length === looked.length || !hasGaps;
  const lowest = looked.length === count ? (looked.at(-1) ?? 0) : 0;
  return { orders, recent, isComplete: isWhole && lowest >= below, hasMore: ids.length > count || below > 0 };
}

async function readHashes(redis: Redis, ids: readonly number[]): Promise<readonly OrderHash[]> {
  if (ids.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.hgetall(orderKey(id));
  return (await replies(pipeline)) as readonly OrderHash[];
}
