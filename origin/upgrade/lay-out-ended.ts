import type { Redis } from "ioredis";
import { CONSUMERS_KEY } from "../commit/keys.ts";
import { replies } from "../redis/pipeline.ts";
import { endedTexts } from "./ended-orders.ts";
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
} from "./keys.ts";
import { USER_MOVEMENTS_MAX } from "./movement-writes.ts";
import { USER_TRADES_MAX } from "./trade-writes.ts";

/** How far it is, for whoever waits. */
type Progress = (done: { readonly orders: number; readonly users: number }) => void;

/** Ids only: a page is some milliseconds. */
const IDS_PER_PAGE = 2_000;
const USERS_PER_PAGE = 200;

/**
 * A store in which ended orders stay for 30 days, in a list for each status and day, becomes one in which they wait in one list to be forgotten. Nothing is
 * forgotten here: `forget-orders.ts` does that, once PostgreSQL has each of them. The lists of users may lack what was cut or forgotten before, which they
 * or `below` say. Every part can be done again; one that was interrupted begins where it was. Nothing may be projected meanwhile.
 */
export async function layOutEnded(redis: Redis, onProgress: Progress = () => {}): Promise<void> {
  const [sequence, at, nextOrderId, nextTradeId] = (
    await redis.hmget(PROJECTED_KEY, "sequence", "at", "next_order_id", "next_trade_id")
  ).map(Number);
  if (sequence === undefined || sequence === 0) return;
  await redis.hset(BELOW_KEY, "trades", (nextTradeId ?? 1) - 1, "movements", 1);
  let orders = 0;
  // The members of a set come in any order: by name first, so that an upgrade always gives the same.
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

/** The newest entry of the journal is one by which all of them had ended. */
async function moveSome(redis: Redis, list: string, ending: { readonly sequence: number; readonly at: number }): Promise<number> {
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
  const [ledger, projected] = await Promise.all([redis.hget(CONSUMERS_KEY, "ledger"), redis.hget(PROJECTED_KEY, "sequence")]);
  // Else the lists stay as long as they are until something is added to them: by then PostgreSQL will have the rest.
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

/** Orders that were forgotten before have stayed in their user's list, and those before 10,000 others were cut from it. */
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
