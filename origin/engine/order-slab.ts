import type { CancelReason, OrderSide, OrderType, TimeInForce } from "./terms.ts";

/**
 * The open orders as a struct of arrays: an order is a slot, a small number, and its fields stand in one array each. Nothing is
 * allocated for an order, and taking one out frees its slot for the next. `NONE` is no slot.
 */
export type OrderSlab = {
  readonly id: Float64Array;
  /** Index of the user. */
  readonly user: Int32Array;
  /** Index of the pair. */
  readonly pair: Int32Array;
  readonly side: Uint8Array;
  readonly type: Uint8Array;
  readonly timeInForce: Uint8Array;
  readonly postOnly: Uint8Array;
  readonly ticks: Int32Array;
  readonly lots: Float64Array;
  readonly quoteAmount: BigInt64Array;
  readonly filledLots: Float64Array;
  readonly filledValue: BigInt64Array;
  readonly feePaid: BigInt64Array;
  readonly createdAt: Float64Array;
  readonly updatedAt: Float64Array;
  readonly clientOrderId: string[];
  /** The account whose frozen part backs the order, and the one that gets what it trades for. */
  readonly pays: Int32Array;
  readonly receives: Int32Array;
  /** Neighbours on the same price, older and younger. */
  readonly older: Int32Array;
  readonly younger: Int32Array;
  /** Where its price stands in the ladder. */
  readonly cell: Int32Array;
  /** Neighbours among the user's open orders of the pair. */
  readonly userOlder: Int32Array;
  readonly userYounger: Int32Array;
  /** Where it stands among the orders touched since the changes were last taken, or `NONE`. */
  readonly touchedAt: Int32Array;
  readonly freed: Int32Array;
  freedCount: number;
  /** Slots from here on were never used. */
  usedCount: number;
};

export const NONE = -1;
export const BUY = 0;
export const SELL = 1;

export const SIDES: readonly OrderSide[] = ["buy", "sell"];
export const TYPES: readonly OrderType[] = ["limit", "market"];
export const TIMES_IN_FORCE: readonly TimeInForce[] = ["GTC", "IOC", "FOK"];
export type EndReason = Exclude<CancelReason, "">;

/** The memory is asked for at once, so that no order has to wait for a copy of all the others. The system gives it page by page. */
export function createOrderSlab(slots: number): OrderSlab {
  return {
    id: new Float64Array(slots),
    user: new Int32Array(slots),
    pair: new Int32Array(slots),
    side: new Uint8Array(slots),
    type: new Uint8Array(slots),
    timeInForce: new Uint8Array(slots),
    postOnly: new Uint8Array(slots),
    ticks: new Int32Array(slots),
    lots: new Float64Array(slots),
    quoteAmount: new BigInt64Array(slots),
    filledLots: new Float64Array(slots),
    filledValue: new BigInt64Array(slots),
    feePaid: new BigInt64Array(slots),
    createdAt: new Float64Array(slots),
    updatedAt: new Float64Array(slots),
    clientOrderId: [],
    pays: new Int32Array(slots),
    receives: new Int32Array(slots),
    older: new Int32Array(slots),
    younger: new Int32Array(slots),
    cell: new Int32Array(slots),
    userOlder: new Int32Array(slots),
    userYounger: new Int32Array(slots),
    touchedAt: new Int32Array(slots),
    freed: new Int32Array(slots),
    freedCount: 0,
    usedCount: 0,
  };
}

export function takeSlot(orders: OrderSlab): number {
  const slot = orders.freedCount > 0 ? (orders.freed[--orders.freedCount] as number) : orders.usedCount++;
  orders.touchedAt[slot] = NONE;
  return slot;
}

export function freeSlot(orders: OrderSlab, slot: number): void {
  orders.clientOrderId[slot] = "";
  orders.freed[orders.freedCount++] = slot;
}

export function remainingLots(orders: OrderSlab, slot: number): number {
  return (orders.lots[slot] as number) - (orders.filledLots[slot] as number);
}
