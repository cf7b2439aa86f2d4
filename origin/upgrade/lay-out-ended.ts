import type { Redis } from "ioredis";
import { CONSUMERS_KEY } from "../journal/keys.ts";
import { replies } from "../redis/pipeline.ts";
import { endedTexts } from "../state/ended-orders.ts";
import {
  BELOW_KEY,
  ENDED_KEY,
  ENDED_TOTAL_KEY,
  movementsKey,
  OLD_ENDED_LISTS_KEY,
  ORDERS_BELOW_MEMBER,
  orderKey,
  PROJECTED_KEY,
  userOrdersKey,
  userTradesKey,
  WALLETS_KEY,
} from "../state/keys.ts";
import { USER_MOVEMENTS_MAX, USER_TRADES_MAX } from "../state/state-writes.ts";

type Progress = (done: { readonly orders: number; readonly users: number }) => void;

/** Ids only: a page takes a few milliseconds. */
const IDS_PER_PAGE = 2_000;
const USERS_PER_PAGE = 200;

/**
 * Replaces the lists of ended orders, one per status and day and kept for 30 days, by one list from which
 * `forget-orders.ts` deletes orders once PostgreSQL holds them. Nothing is deleted here. Lists of users may lack
 * entries that were cut or deleted before; the lists or `below` say so. Every part can be repeated, and an interrupted
 * one continues where it stopped. No projection may run meanwhile.
 */
export async function layOutEnded(redis: Redis, onProgress: Progress = () => {}): Promise<void> {
  const [sequence, at, nextOrderId, nextTradeId] = (
    await redis.hmget(PROJECTED_KEY, "sequence", "at", "next_order_id", "next_trade_id")
  ).map(Number);
  if (sequence === undefined || sequence === 0) return;
  await redis.hset(BELOW_KEY, "trades", (nextTradeId ?? 1) - 1, "movements", 1);
  let orders = 0;
  // A set has no order: sort by name first, so that an upgrade is deterministic.
  const lists = (await redis.smembers(OLD_ENDED_LISTS_KEY)).toSorted();
  for (const list of lists.toSorted((first, second) => dayOf(first) - dayOf(second))) {
    for (let count = -1; count !== 0; orders += count) {
      onProgress({ orders, users: 0 });
      count = await moveSome(redis, list, { sequence, at: at ?? 0 });
    }
    await redis.multi().unlink(list).srem(OLD_ENDED_LISTS_KEY, list).exec();
  }
  await layOutUsers(redis, (nextOrderId ?? 1) - 1, (users) => onProgress({ orders, users }));
}

/** By the newest journal entry all of these orders have ended. */
async function moveSome(
  redis: Redis,
  list: string,
  ending: { readonly sequence: number; readonly at: number },
): Promise<number> {
  const ids = await redis.lrange(list, 0, IDS_PER_PAGE - 1);
  if (ids.length === 0) return 0;
  const texts = endedTexts(
    ids.map((id) => ({ id: Number(id), user: "" })),
    ending,
  );
  await redis
    .multi()
    .rpush(ENDED_KEY, ...texts)
    .incrby(ENDED_TOTAL_KEY, ids.length)
    .ltrim(list, ids.length, -1)
    .exec();
  return ids.length;
}

async function layOutUsers(redis: Redis, lastOrderId: number, onProgress: (users: number) => void): Promise<void> {
  const [ledger, projected] = await Promise.all([
    redis.hget(CONSUMERS_KEY, "ledger"),
    redis.hget(PROJECTED_KEY, "sequence"),
  ]);
  // Otherwise the lists keep their length until the next entry; by then PostgreSQL has the rest.
  const areRecorded = Number(ledger ?? 0) >= Number(projected ?? 0);
  let cursor = "0";
  let done = 0;
  do {
    const [next, users] = await redis.sscan(WALLETS_KEY, cursor, "COUNT", USERS_PER_PAGE);
    cursor = next;
    if (areRecorded) await cutLists(redis, users);
    for (const user of users) await layOutOrders(redis, userOrdersKey(user), lastOrderId);
    done += users.length;
    onProgress(done);
  } while (cursor !== "0");
}

async function cutLists(redis: Redis, users: readonly string[]): Promise<void> {
  const pipeline = redis.pipeline();
  for (const user of users) {
    pipeline.ltrim(userTradesKey(user), 0, USER_TRADES_MAX - 1);
    pipeline.ltrim(movementsKey(user), 0, USER_MOVEMENTS_MAX - 1);
  }
  if (users.length > 0) await replies(pipeline);
}

/** Orders that were deleted before are still in their user's list, and the list was cut at 10,000. */
async function layOutOrders(redis: Redis, key: string, lastOrderId: number): Promise<void> {
  if ((await redis.exists(key)) === 0) return;
  await redis.zadd(key, "LT", -lastOrderId, ORDERS_BELOW_MEMBER);
  for (let from = 0; ; ) {
    const ids = await redis.zrange(key, String(from), String(from + IDS_PER_PAGE - 1));
    if (ids.length === 0) return;
    const pipeline = redis.pipeline();
    for (const id of ids) pipeline.exists(orderKey(Number(id)));
    const areThere = await replies(pipeline);
    const missing = ids.filter((id, place) => id !== ORDERS_BELOW_MEMBER && areThere[place] === 0);
    if (missing.length > 0) await redis.zrem(key, ...missing);
    from += ids.length - missing.length;
  }
}

const dayOf = (list: string): number => Number(list.slice(list.lastIndexOf(":") + 1));
