import type { OrderRow } from "../engine/changes.ts";
import type { OrderStatus } from "../engine/terms.ts";
import type { Grid } from "./grids.ts";
import { bookKey, openOrdersKey, orderKey, userOrdersKey } from "./keys.ts";
import { placedFields, stateFields } from "./order-fields.ts";
import type { Writes } from "./writes.ts";

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
  } else {
    writes.add(["HSET", orderKey(id), ...state]);
  }
  if (isOpenStatus(status)) writeOpen(order, { isNew, writes });
  else writeEnded(order, { isNew, writes });
}

export const isOpenStatus = (status: OrderStatus): boolean => status === "open" || status === "partiallyFilled";

type IndexContext = Omit<OrderContext, "grid">;

function writeOpen({ id, pair, user, status }: OrderRow, { isNew, writes }: IndexContext): void {
  writes.into("HSET", bookKey(pair)).push(id, status);
  if (!isNew) return;
  const ofUser = writes.ofUser(user);
  ofUser.opened ??= ["ZADD", openOrdersKey(user)];
  ofUser.opened.push(-id, id);
}

function writeEnded({ id, pair, user }: OrderRow, { isNew, writes }: IndexContext): void {
  if (isNew) return;
  writes.into("HDEL", bookKey(pair)).push(id);
  const ofUser = writes.ofUser(user);
  ofUser.closed ??= ["ZREM", openOrdersKey(user)];
  ofUser.closed.push(id);
}
