import type { Redis } from "ioredis";
import { BELOW_KEY, ORDERS_BELOW_MEMBER, orderKey, userOrdersKey } from "../projections/keys.ts";
import type { OrderHash } from "../projections/order-fields.ts";
import { replies } from "../redis/pipeline.ts";

/** What Redis has of a page of a user's orders, the newest first, and whether that is all of it. */
export type HeldOrders = {
  readonly orders: readonly OrderHash[];
  /** Nothing that belongs on the page is missing. */
  readonly isComplete: boolean;
  /** Whether there are more behind the page; only of a complete one. */
  readonly hasMore: boolean;
  /** Of `orders`, those above everything that may have left Redis. */
  readonly recent: readonly OrderHash[];
};

export type HeldSpan = {
  readonly user: string;
  /** A list without gaps, of open orders; else it is the list of all. */
  readonly key: string | undefined;
  readonly beforeId: number | undefined;
  readonly count: number;
  /** Nothing of this user is missing since a restore or an upgrade. */
  readonly isWithoutMore: boolean;
};

/** Scores are ids below zero, so the newest stands first. */
export async function heldOrders(redis: Redis, { user, key = userOrdersKey(user), ...span }: HeldSpan): Promise<HeldOrders> {
  const { beforeId, count, isWithoutMore } = span;
  const from = beforeId === undefined ? "-inf" : `(${-beforeId}`;
  // One more than is looked at says whether there is a next page; one more may be the mark of what has left.
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
  // One that was in the list and is not there any more has just ended and left; what is open is never forgotten.
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
