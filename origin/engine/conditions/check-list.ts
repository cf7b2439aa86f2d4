import { isWellFormed, restsFor } from "../check-order.ts";
import type { ListOrder, PlaceList, PlaceOrder } from "../command.ts";
import type { RejectCode } from "../outcome.ts";
import type { OrderType } from "../terms.ts";
import { conditionsFault } from "./check-conditions.ts";

/** Why a list contradicts itself, whatever the pair's state. */
export function listFault(command: PlaceList, at: number): RejectCode | undefined {
  const { list, orders } = command;
  if (orders.length !== (list === "otoco" ? 3 : 2) || hasSameName(orders)) return "list_orders_invalid";
  for (const order of orders) {
    const fault = orderFaultInList(wholeOrder(command, order), at);
    if (fault !== undefined) return fault;
  }
  if (list !== "oco" && !isWorking(orders[0])) return "list_orders_invalid";
  if (list === "oto") return undefined;
  const [above, below] = orders.slice(-2);
  return above !== undefined && below !== undefined ? legsFault(above, below) : "list_orders_invalid";
}

/** An order of a list as an order of its own. */
export function wholeOrder({ user, pair, grid, openOrdersMax }: PlaceList, order: ListOrder): PlaceOrder {
  return { ...order, kind: "place", user, pair, grid, openOrdersMax };
}

function orderFaultInList(order: PlaceOrder, at: number): RejectCode | undefined {
  const fault =
    order.conditions === undefined ? (isWellFormed(order) ? undefined : "command_invalid") : conditionsFault(order, at);
  if (fault !== undefined) return fault;
  const { targetProfitPpm = 0, stopLossPpm = 0 } = order.conditions ?? {};
  const isPlainInList = order.lots > 0 && targetProfitPpm === 0 && stopLossPpm === 0;
  return isPlainInList ? undefined : "list_orders_invalid";
}

const hasSameName = (orders: readonly ListOrder[]) => {
  const names = orders.map(({ clientOrderId }) => clientOrderId).filter((name) => name !== "");
  return new Set(names).size < names.length;
};

const isWorking = (order: ListOrder | undefined) =>
  order !== undefined && order.type === "limit" && restsFor(order.timeInForce);

const isStop = (type: OrderType) => type === "stop" || type === "stopLimit";

/** One of them takes profit, or is a limit order; the other one is a stop, on the side of the price where that is. */
function legsFault(above: ListOrder, below: ListOrder): RejectCode | undefined {
  if (above.side !== below.side || above.lots !== below.lots) return "list_orders_invalid";
  const [stop, take] = above.side === "sell" ? [below, above] : [above, below];
  const isSound =
    isStop(stop.type) &&
    !isStop(take.type) &&
    take.type !== "market" &&
    (take.type !== "limit" || restsFor(take.timeInForce));
  if (!isSound) return "list_orders_invalid";
  const [upper, lower] = [priceOf(above), priceOf(below)];
  return upper === 0 || lower === 0 || upper > lower ? undefined : "list_prices_invalid";
}

/** Where it waits; 0 for a trailing order without an activation price. */
export function priceOf({ type, ticks, conditions }: ListOrder): number {
  return type === "limit" ? ticks : (conditions?.stopTicks ?? 0);
}
