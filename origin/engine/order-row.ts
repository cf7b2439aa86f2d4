import type { OrderRow } from "./changes.ts";
import type { PlaceOrder } from "./command.ts";
import { nameOf, SIDES, wordOf } from "./order-slab.ts";
import type { Pair } from "./pairs.ts";
import type { EngineState } from "./state.ts";
import type { CancelReason, OrderSide, OrderStatus } from "./terms.ts";
import type { User } from "./users.ts";

/** An open order as it stands. */
export function openRow(state: EngineState, slot: number): OrderRow {
  const status = state.orders.filledLots[wordOf(slot)] === 0 ? "open" : "partiallyFilled";
  return orderRow(state, { slot, kind: RESTING, status, cancelReason: "" });
}

/** What an order is, as far as the slab does not say: whatever rests is a limit order that is good till cancelled. */
export type OrderKind = Pick<PlaceOrder, "type" | "timeInForce" | "quoteAmount">;
export const RESTING: OrderKind = { type: "limit", timeInForce: "GTC", quoteAmount: 0n };

export type End = {
  readonly slot: number;
  readonly kind: OrderKind;
  readonly status: OrderStatus;
  readonly cancelReason: CancelReason;
};

export function orderRow({ orders, users, pairs }: EngineState, { slot, kind, status, cancelReason }: End): OrderRow {
  const filledLots = orders.filledLots[wordOf(slot)] as number;
  const pair = pairs.all[orders.pair[slot] as number] as Pair;
  return {
    id: orders.id[wordOf(slot)] as number,
    user: (users.all[orders.user[slot] as number] as User).name,
    pair: pair.name,
    grid: pair.grid,
    side: SIDES[orders.side[slot] as number] as OrderSide,
    type: kind.type,
    timeInForce: kind.timeInForce,
    postOnly: orders.postOnly[slot] === 1,
    ticks: orders.ticks[slot] as number,
    lots: orders.lots[wordOf(slot)] as number,
    quoteAmount: kind.quoteAmount,
    filledLots,
    // A zero that is read from memory is allocated, and most orders have no others.
    filledValue: filledLots === 0 ? 0n : (orders.filledValue[wordOf(slot)] as bigint),
    feePaid: filledLots === 0 ? 0n : (orders.feePaid[wordOf(slot)] as bigint),
    status,
    cancelReason,
    clientOrderId: nameOf(orders, slot),
    createdAt: orders.createdAt[wordOf(slot)] as number,
    updatedAt: orders.updatedAt[wordOf(slot)] as number,
  };
}
