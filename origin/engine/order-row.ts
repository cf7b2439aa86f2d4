import type { OrderRow } from "./changes.ts";
import { SIDES, TIMES_IN_FORCE, TYPES } from "./order-slab.ts";
import type { Pair } from "./pairs.ts";
import type { EngineState } from "./state.ts";
import type { CancelReason, OrderSide, OrderStatus, OrderType, TimeInForce } from "./terms.ts";
import type { User } from "./users.ts";

/** An open order as it stands. */
export function orderRow(state: EngineState, slot: number): OrderRow {
  const status = state.orders.filledLots[slot] === 0 ? "open" : "partiallyFilled";
  return endedRow(state, { slot, status, cancelReason: "" });
}

type End = { readonly slot: number; readonly status: OrderStatus; readonly cancelReason: CancelReason };

export function endedRow({ orders, users, pairs }: EngineState, { slot, status, cancelReason }: End): OrderRow {
  const pair = pairs.all[orders.pair[slot] as number] as Pair;
  return {
    id: orders.id[slot] as number,
    user: (users.all[orders.user[slot] as number] as User).name,
    pair: pair.name,
    grid: pair.grid,
    side: SIDES[orders.side[slot] as number] as OrderSide,
    type: TYPES[orders.type[slot] as number] as OrderType,
    timeInForce: TIMES_IN_FORCE[orders.timeInForce[slot] as number] as TimeInForce,
    postOnly: orders.postOnly[slot] === 1,
    ticks: orders.ticks[slot] as number,
    lots: orders.lots[slot] as number,
    quoteAmount: orders.quoteAmount[slot] as bigint,
    filledLots: orders.filledLots[slot] as number,
    filledValue: orders.filledValue[slot] as bigint,
    feePaid: orders.feePaid[slot] as bigint,
    status,
    cancelReason,
    clientOrderId: orders.clientOrderId[slot] as string,
    createdAt: orders.createdAt[slot] as number,
    updatedAt: orders.updatedAt[slot] as number,
  };
}
