import { orderFields } from "../commit/row-fields.ts";
import type { OrderRow } from "../engine/changes.ts";
import type { Grid } from "./grids.ts";
import { bookKey, openOrdersKey, orderKey, statusKey, userOrdersKey } from "./keys.ts";
import type { Write, Writes } from "./writes.ts";

/** Ended orders are kept for a month; by then PostgreSQL has them. */
const ENDED_ORDER_TTL_SECONDS = 30 * 24 * 3_600;
/** Of a user, the newest so many orders can be listed from Redis. */
const USER_ORDERS_MAX = 10_000;
/** Of the ended ones, over all users. */
const STATUS_ORDERS_MAX = 10_000;
/** Lists are cut once in so many ids that they get, which costs less than every time and lets them be that much longer. */
const CUT_EVERY = 64;

type OrderContext = {
  readonly grid: Grid;
  /** It stands in no index yet. */
  readonly isNew: boolean;
  readonly writes: Writes;
};

/** One order, and where it stands in the indexes. */
export function writeOrder(order: OrderRow, { grid, isNew, writes }: OrderContext): void {
  const { id, status, user } = order;
  writes.add(orderWrite(order, { grid, isNew }));
  writes.into("ZADD", statusKey(status)).push(id, id);
  if (isNew) {
    writes.into("ZADD", userOrdersKey(user)).push(id, id);
    if (id % CUT_EVERY === 0) writes.add(["ZREMRANGEBYRANK", userOrdersKey(user), 0, -USER_ORDERS_MAX - 1]);
  }
  if (status === "open" || status === "partiallyFilled") writeOpen(order, { isNew, writes });
  else writeEnded(order, { isNew, writes });
}

type IndexContext = Omit<OrderContext, "grid">;

function writeOpen(order: OrderRow, { isNew, writes }: IndexContext): void {
  writes.into("HSET", bookKey(order.pair)).push(order.id, JSON.stringify(orderFields(order)));
  if (isNew) writes.into("ZADD", openOrdersKey(order.user)).push(order.id, order.id);
  else if (order.status === "partiallyFilled") writes.into("ZREM", statusKey("open")).push(order.id);
}

function writeEnded({ id, pair, status, user }: OrderRow, { isNew, writes }: IndexContext): void {
  writes.add(["EXPIRE", orderKey(id), ENDED_ORDER_TTL_SECONDS]);
  if (id % CUT_EVERY === 0) writes.add(["ZREMRANGEBYRANK", statusKey(status), 0, -STATUS_ORDERS_MAX - 1]);
  if (isNew) return;
  writes.into("HDEL", bookKey(pair)).push(id);
  writes.into("ZREM", openOrdersKey(user)).push(id);
  writes.into("ZREM", statusKey("open")).push(id);
  writes.into("ZREM", statusKey("partiallyFilled")).push(id);
}

/** The fields that an order has in Redis. */
export function orderHash(order: OrderRow, grid: Grid): Readonly<Record<string, string>> {
  const [, , ...fields] = orderWrite(order, { grid, isNew: true }).map(String);
  return Object.fromEntries(Array.from({ length: fields.length / 2 }, (_, index) => fields.slice(2 * index, 2 * index + 2)));
}

/** Of a new order all that is not the rule (`docs/redis-keys.md`), of a known one what can have changed: half of the cost is in the fields. */
function orderWrite(order: OrderRow, { grid, isNew }: Omit<OrderContext, "writes">): Write {
  const write: Write = ["HSET", orderKey(order.id), "status", order.status, "updated_at", order.updatedAt];
  if (isNew) pushFixed(write, order, grid);
  if (order.cancelReason !== "") write.push("cancel_reason", order.cancelReason);
  if (order.filledLots === 0) return write;
  write.push("filled_quantity", grid.quantity(order.filledLots), "filled_value", grid.quote(order.filledValue));
  write.push("fee_paid", order.side === "buy" ? grid.base(order.feePaid) : grid.quote(order.feePaid));
  return write;
}

function pushFixed(write: Write, order: OrderRow, grid: Grid): void {
  write.push("id", order.id, "user", order.user, "pair", order.pair, "side", order.side, "created_at", order.createdAt);
  if (order.ticks !== 0) write.push("price", grid.price(order.ticks));
  if (order.lots !== 0) write.push("quantity", grid.quantity(order.lots));
  if (order.quoteAmount !== 0n) write.push("quote_amount", grid.quote(order.quoteAmount));
  if (order.type !== "limit") write.push("type", order.type);
  if (order.timeInForce !== "GTC") write.push("time_in_force", order.timeInForce);
  if (order.postOnly) write.push("post_only", 1);
  if (order.clientOrderId !== "") write.push("client_order_id", order.clientOrderId);
}
