import { assert } from "../../shared/assert.ts";
import type { OrderRow } from "../engine/changes.ts";
import type { Grid, Grids } from "./grids.ts";

type Field = string | number;

/** Of an order in Redis, what was asked for: written once. What is the rule is left out (`docs/redis-keys.md`): half of the cost is in the fields. */
export function placedFields(order: OrderRow, grid: Grid): Field[] {
  const fields: Field[] = ["id", order.id, "user", order.user, "pair", order.pair, "grid", order.grid, "side", order.side];
  if (order.ticks !== 0) fields.push("price", grid.price(order.ticks));
  if (order.lots !== 0) fields.push("quantity", grid.quantity(order.lots));
  if (order.quoteAmount !== 0n) fields.push("quote_amount", grid.quote(order.quoteAmount));
  if (order.type !== "limit") fields.push("type", order.type);
  if (order.timeInForce !== "GTC") fields.push("time_in_force", order.timeInForce);
  if (order.postOnly) fields.push("post_only", 1);
  if (order.clientOrderId !== "") fields.push("client_order_id", order.clientOrderId);
  fields.push("created_at", order.createdAt);
  return fields;
}

/** How it stands: written with every change. */
export function stateFields(order: OrderRow, grid: Grid): Field[] {
  const fields: Field[] = ["status", order.status, "updated_at", order.updatedAt];
  if (order.cancelReason !== "") fields.push("cancel_reason", order.cancelReason);
  if (order.filledLots === 0) return fields;
  fields.push("filled_quantity", grid.quantity(order.filledLots), "filled_value", grid.quote(order.filledValue));
  fields.push("fee_paid", order.side === "buy" ? grid.base(order.feePaid) : grid.quote(order.feePaid));
  return fields;
}

export type OrderHash = Readonly<Record<string, string>>;

/** The order as Redis would give it. */
export function orderHash(order: OrderRow, grid: Grid): OrderHash {
  const fields = [...placedFields(order, grid), ...stateFields(order, grid)].map(String);
  return Object.fromEntries(Array.from({ length: fields.length / 2 }, (_, index) => fields.slice(2 * index, 2 * index + 2)));
}

/**
 * An order that rests, as the engine knows it. Undefined when it is not there any more, or was placed on a grid that has come since the terms were
 * read: the journal behind that moment tells of both.
 */
export function restingOrder(stored: OrderHash, grids: Grids): OrderRow | undefined {
  const { id, user, pair, side, status, price, quantity, filled_quantity = "0", filled_value = "0", fee_paid = "0" } = stored;
  const grid = pair === undefined ? undefined : grids.find(pair, Number(stored["grid"]));
  if (pair === undefined || grid === undefined) return undefined;
  assert(user !== undefined && price !== undefined && quantity !== undefined, "an order that rests has an owner, a price and a quantity");
  const { ticksOf, lotsOf, quoteSteps, baseSteps } = grid;
  return {
    id: Number(id),
    user,
    pair,
    grid: Number(stored["grid"]),
    side: side as OrderRow["side"],
    type: (stored["type"] ?? "limit") as OrderRow["type"],
    timeInForce: (stored["time_in_force"] ?? "GTC") as OrderRow["timeInForce"],
    postOnly: stored["post_only"] === "1",
    ticks: ticksOf(price),
    lots: lotsOf(quantity),
    quoteAmount: 0n,
    filledLots: lotsOf(filled_quantity),
    filledValue: quoteSteps(filled_value),
    feePaid: side === "buy" ? baseSteps(fee_paid) : quoteSteps(fee_paid),
    status: status as OrderRow["status"],
    cancelReason: (stored["cancel_reason"] ?? "") as OrderRow["cancelReason"],
    clientOrderId: stored["client_order_id"] ?? "",
    createdAt: Number(stored["created_at"]),
    updatedAt: Number(stored["updated_at"]),
  };
}
