import { assert } from "../../shared/assert.ts";
import type { OrderRow } from "../engine/changes.ts";
import type { Grid, Grids } from "./grids.ts";

/**
 * An order in Redis is two texts of JSON: `placed`, what was asked for, which is written once, and `state`, how it stands. With one field for each
 * fact a write took Redis nearly twice as long, and an order is what is written most. What is the rule is left out
 * (`docs/redis-keys.md`).
 */
export function placedText(order: OrderRow, grid: Grid): string {
  let text = `{"id":${order.id},"user":${JSON.stringify(order.user)},"pair":"${order.pair}","grid":${order.grid},"side":"${order.side}"`;
  if (order.ticks !== 0) text += `,"price":"${grid.price(order.ticks)}"`;
  if (order.lots !== 0) text += `,"quantity":"${grid.quantity(order.lots)}"`;
  if (order.quoteAmount !== 0n) text += `,"quote_amount":"${grid.quote(order.quoteAmount)}"`;
  if (order.type !== "limit") text += `,"type":"${order.type}"`;
  if (order.timeInForce !== "GTC") text += `,"time_in_force":"${order.timeInForce}"`;
  if (order.postOnly) text += `,"post_only":true`;
  if (order.clientOrderId !== "") text += `,"client_order_id":${JSON.stringify(order.clientOrderId)}`;
  return `${text},"created_at":${order.createdAt}}`;
}

export function stateText(order: OrderRow, grid: Grid): string {
  let text = `{"status":"${order.status}"`;
  if (order.cancelReason !== "") text += `,"cancel_reason":"${order.cancelReason}"`;
  if (order.filledLots !== 0) {
    const fee = order.side === "buy" ? grid.base(order.feePaid) : grid.quote(order.feePaid);
    text += `,"filled_quantity":"${grid.quantity(order.filledLots)}","filled_value":"${grid.quote(order.filledValue)}","fee_paid":"${fee}"`;
  }
  return `${text},"updated_at":${order.updatedAt}}`;
}

/** Both together, as readers check them. Undefined for an order that is not there. */
export function orderFacts(stored: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> | undefined {
  const { placed, state } = stored;
  return placed === undefined || state === undefined ? undefined : { ...JSON.parse(placed), ...JSON.parse(state) };
}

/**
 * An order that rests, as the engine knows it. Undefined when it is not there any more, or was placed on a grid that has come since the terms were
 * read: the journal behind that moment tells of both.
 */
export function restingOrder(stored: Readonly<Record<string, string>>, grids: Grids): OrderRow | undefined {
  const facts = orderFacts(stored);
  const grid = facts === undefined ? undefined : grids.find(String(facts["pair"]), Number(facts["grid"]));
  if (facts === undefined || grid === undefined) return undefined;
  const { side, price, quantity, filled_quantity = "0", filled_value = "0", fee_paid = "0" } = facts;
  assert(typeof price === "string" && typeof quantity === "string", "an order that rests has a price and a quantity");
  const { ticksOf, lotsOf, quoteSteps, baseSteps } = grid;
  return {
    id: facts["id"] as number,
    user: facts["user"] as string,
    pair: facts["pair"] as string,
    grid: facts["grid"] as number,
    side: side as OrderRow["side"],
    type: (facts["type"] ?? "limit") as OrderRow["type"],
    timeInForce: (facts["time_in_force"] ?? "GTC") as OrderRow["timeInForce"],
    postOnly: facts["post_only"] === true,
    ticks: ticksOf(price),
    lots: lotsOf(quantity),
    quoteAmount: 0n,
    filledLots: lotsOf(filled_quantity as string),
    filledValue: quoteSteps(filled_value as string),
    feePaid: side === "buy" ? baseSteps(fee_paid as string) : quoteSteps(fee_paid as string),
    status: facts["status"] as OrderRow["status"],
    cancelReason: (facts["cancel_reason"] ?? "") as OrderRow["cancelReason"],
    clientOrderId: (facts["client_order_id"] ?? "") as string,
    createdAt: facts["created_at"] as number,
    updatedAt: facts["updated_at"] as number,
  };
}
