import type { OrderRow } from "../engine/changes.ts";
import type { Grid } from "./grids.ts";
import { bookKey, ENDED_LISTS_KEY, endedKey, openOrdersKey, orderKey, userOrdersKey } from "./keys.ts";
import { placedFields, stateFields } from "./order-fields.ts";
import type { Writes } from "./writes.ts";

/** Of a user, the newest so many orders can be listed from Redis. */
const USER_ORDERS_MAX = 10_000;
/** Lists are cut once in so many ids that they get, which costs less than every time and lets them be that much longer. */
const CUT_EVERY = 64;
const DAY_MS = 86_400_000;

type OrderContext = {
  readonly grid: Grid;
  /** It stands in no index yet. */
  readonly isNew: boolean;
  readonly writes: Writes;
};

/** One order, and where it stands in the indexes. Scores are ids below zero: the newest comes first, which is where Redis puts it in soonest. */
export function writeOrder(order: OrderRow, { grid, isNew, writes }: OrderContext): void {
  const { id, user, status } = order;
  const state = stateFields(order, grid);
  if (isNew) {
    writes.add(["HSET", orderKey(id), ...placedFields(order, grid), ...state]);
    const ofUser = writes.ofUser(user);
    ofUser.orders ??= ["ZADD", userOrdersKey(user)];
    ofUser.orders.push(-id, id);
    if (id % CUT_EVERY === 0) writes.add(["ZREMRANGEBYRANK", userOrdersKey(user), USER_ORDERS_MAX, -1]);
  } else {
    writes.add(["HSET", orderKey(id), ...state]);
  }
  if (status === "open" || status === "partiallyFilled") writeOpen(order, { isNew, writes });
  else writeEnded(order, { isNew, writes });
}

type IndexContext = Omit<OrderContext, "grid">;

function writeOpen({ id, pair, user, status }: OrderRow, { isNew, writes }: IndexContext): void {
  writes.into("HSET", bookKey(pair)).push(id, status);
  if (!isNew) return;
  const ofUser = writes.ofUser(user);
  ofUser.opened ??= ["ZADD", openOrdersKey(user)];
  ofUser.opened.push(-id, id);
}

function writeEnded({ id, pair, status, user, updatedAt }: OrderRow, { isNew, writes }: IndexContext): void {
  const list = endedKey(status, Math.floor(updatedAt / DAY_MS));
  const ids = writes.into("RPUSH", list);
  if (ids.length === 2) writes.into("SADD", ENDED_LISTS_KEY).push(list);
  ids.push(id);
  if (isNew) return;
  writes.into("HDEL", bookKey(pair)).push(id);
  const ofUser = writes.ofUser(user);
  ofUser.closed ??= ["ZREM", openOrdersKey(user)];
  ofUser.closed.push(id);
}
