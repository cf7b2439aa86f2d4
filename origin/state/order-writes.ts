import { assert } from "../../shared/assert.ts";
import type { ConditionRow, OrderRow } from "../engine/changes.ts";
import { isLive, isResting, type OrderStatus } from "../engine/terms.ts";

import { amountText, stepsOf } from "../instruments/amounts.ts";
import { feeScaleOf, type Grid, lotsOf, priceText, quantityText, ticksOf } from "../instruments/grid.ts";
import type { Grids } from "../instruments/grids.ts";
import { conditionRowFields, conditionRowFrom, type ReadFields } from "../journal/row-fields.ts";

import { bookKey, openOrdersKey, orderKey, pendingOrdersKey, userOrdersKey } from "./keys.ts";
import type { Writes } from "./writes.ts";

type OrderContext = {
  readonly grid: Grid;
  /** It is in no index yet. */
  readonly isNew: boolean;
  readonly writes: Writes;
};

/** One order and its indexes. Scores are negative ids: the newest comes first, where Redis inserts fastest. */
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

/** Pending orders included: an engine loads them, and their users list them. */
export const isOpenStatus: (status: OrderStatus) => boolean = isLive;

type IndexContext = Omit<OrderContext, "grid">;

function writeOpen({ id, pair, user, status, conditions }: OrderRow, { isNew, writes }: IndexContext): void {
  writes.into("HSET", bookKey(pair)).push(id, status);
  if (status === "pending") {
    writes.into("ZADD", pendingOrdersKey(user)).push(-id, id);
    return;
  }
  // Only an order with conditions can have been pending before.
  if (!isNew && conditions === undefined) return;
  if (!isNew) writes.into("ZREM", pendingOrdersKey(user)).push(id);
  const ofUser = writes.ofUser(user);
  ofUser.opened ??= ["ZADD", openOrdersKey(user)];
  ofUser.opened.push(-id, id);
}

function writeEnded({ id, pair, user, conditions }: OrderRow, { isNew, writes }: IndexContext): void {
  if (isNew) return;
  writes.into("HDEL", bookKey(pair)).push(id);
  if (conditions !== undefined) writes.into("ZREM", pendingOrdersKey(user)).push(id);
  const ofUser = writes.ofUser(user);
  ofUser.closed ??= ["ZREM", openOrdersKey(user)];
  ofUser.closed.push(id);
}

type Field = string | number;

/**
 * The fields of an order that never change: written once. Default values are left out (`docs/redis-keys.md`): half of
 * the cost is in the fields.
 */
function placedFields(order: OrderRow, grid: Grid): Field[] {
  const fields: Field[] = [
    "id",
    order.id,
    "user",
    order.user,
    "pair",
    order.pair,
    "grid",
    order.grid,
    "side",
    order.side,
  ];
  // Of an order with conditions they can change, and are part of its state.
  if (order.conditions === undefined) fields.push(...sizeFields(order, grid));
  if (order.quoteAmount !== 0n) fields.push("quote_amount", amountText(order.quoteAmount, grid.quoteScale));
  if (order.type !== "limit") fields.push("type", order.type);
  if (order.timeInForce !== "GTC") fields.push("time_in_force", order.timeInForce);
  if (order.postOnly) fields.push("post_only", 1);
  if (order.clientOrderId !== "") fields.push("client_order_id", order.clientOrderId);
  fields.push("created_at", order.createdAt);
  return fields;
}

function sizeFields(order: OrderRow, grid: Grid): Field[] {
  const fields: Field[] = [];
  if (order.ticks !== 0) fields.push("price", priceText(order.ticks, grid));
  if (order.lots !== 0) fields.push("quantity", quantityText(order.lots, grid));
  return fields;
}

/** The state of an order: written with every change. */
function stateFields(order: OrderRow, grid: Grid): Field[] {
  const fields: Field[] = ["status", order.status, "updated_at", order.updatedAt];
  if (order.conditions !== undefined) {
    fields.push(...sizeFields(order, grid), ...conditionFields(order.conditions, grid));
  }
  if (order.cancelReason !== "") fields.push("cancel_reason", order.cancelReason);
  if (order.filledLots === 0) return fields;
  fields.push("filled_quantity", quantityText(order.filledLots, grid));
  fields.push("filled_value", amountText(order.filledValue, grid.quoteScale));
  fields.push("fee_paid", amountText(order.feePaid, feeScaleOf(order.side, grid)));
  return fields;
}

/**
 * The row for an engine, and its prices and quantities for readers, who need not know the grid that it counts in. None
 * of them returns to 0.
 */
function conditionFields(row: ConditionRow, grid: Grid): Field[] {
  const fields: Field[] = ["conditions", JSON.stringify(conditionRowFields(row))];
  if (row.stopTicks !== 0) fields.push("stop_price", priceText(row.stopTicks, grid));
  if (row.extremeTicks !== 0) fields.push("extreme_price", priceText(row.extremeTicks, grid));
  if (row.originalLots !== 0) fields.push("original_quantity", quantityText(row.originalLots, grid));
  if (row.preventedLots !== 0) fields.push("prevented_quantity", quantityText(row.preventedLots, grid));
  return fields;
}

export type OrderHash = Readonly<Record<string, string>>;

/** The order as a hash in Redis. */
export function orderHash(order: OrderRow, grid: Grid): OrderHash {
  const fields = [...placedFields(order, grid), ...stateFields(order, grid)].map(String);
  return Object.fromEntries(
    Array.from({ length: fields.length / 2 }, (_, index) => fields.slice(2 * index, 2 * index + 2)),
  );
}

/**
 * An open or pending order as the engine's row. Undefined when it is gone, or was placed on a grid newer than the terms read:
 * the journal after that moment has both.
 */
export function restingOrder(stored: OrderHash, grids: Grids): OrderRow | undefined {
  const { id, user, pair, status, price, quantity, filled_quantity = "0", filled_value = "0", fee_paid = "0" } = stored;
  const grid = pair === undefined ? undefined : grids.find(pair, Number(stored["grid"]));
  if (pair === undefined || grid === undefined) return undefined;
  assert(
    user !== undefined && (!isResting(status as OrderStatus) || (price !== undefined && quantity !== undefined)),
    "an order that rests has an owner, a price and a quantity",
  );
  const side = stored["side"] as OrderRow["side"];
  return {
    id: Number(id),
    user,
    pair,
    grid: Number(stored["grid"]),
    side,
    type: (stored["type"] ?? "limit") as OrderRow["type"],
    timeInForce: (stored["time_in_force"] ?? "GTC") as OrderRow["timeInForce"],
    postOnly: stored["post_only"] === "1",
    ticks: price === undefined ? 0 : ticksOf(price, grid),
    lots: quantity === undefined ? 0 : lotsOf(quantity, grid),
    quoteAmount: stepsOf(stored["quote_amount"] ?? "0", grid.quoteScale),
    filledLots: lotsOf(filled_quantity, grid),
    filledValue: stepsOf(filled_value, grid.quoteScale),
    feePaid: stepsOf(fee_paid, feeScaleOf(side, grid)),
    status: status as OrderRow["status"],
    cancelReason: (stored["cancel_reason"] ?? "") as OrderRow["cancelReason"],
    clientOrderId: stored["client_order_id"] ?? "",
    createdAt: Number(stored["created_at"]),
    updatedAt: Number(stored["updated_at"]),
    ...(stored["conditions"] === undefined
      ? {}
      : { conditions: conditionRowFrom(JSON.parse(stored["conditions"]) as ReadFields) }),
  };
}
