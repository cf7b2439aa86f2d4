import type { CancelReason, OrderSide } from "./terms.ts";

/**
 * The open orders as records in one piece of memory. A slot is where an order's record begins, and each field is a view that begins
 * where the field stands in the first record: `orders.ticks[slot]` reads like a table, and everything about an order lies together,
 * in three lines of the processor's cache. Nothing is allocated for an order; a slot that is given back is the next one taken.
 */
export type OrderSlab = {
  readonly id: Float64Array;
  readonly side: Float64Array;
  readonly ticks: Float64Array;
  readonly lots: Float64Array;
  readonly filledLots: Float64Array;
  readonly filledValue: BigInt64Array;
  readonly feePaid: BigInt64Array;
  readonly updatedAt: Float64Array;
  /** Index of the user, and of the pair. */
  readonly user: Float64Array;
  readonly pair: Float64Array;
  /** The account whose frozen part backs the order, and the one that gets what it trades for. */
  readonly pays: Float64Array;
  readonly receives: Float64Array;
  /** Neighbours on the same price, older and younger. */
  readonly older: Float64Array;
  readonly younger: Float64Array;
  /** Where its price stands in the ladder. */
  readonly cell: Float64Array;
  /** Where it stands among the orders touched since the changes were last taken, or `NONE`. */
  readonly touchedAt: Float64Array;
  /** Neighbours among the user's open orders of the pair. */
  readonly userOlder: Float64Array;
  readonly userYounger: Float64Array;
  readonly createdAt: Float64Array;
  readonly postOnly: Float64Array;
  readonly isNamed: Float64Array;
  /** The next one whose id has the same cell in the index. */
  readonly sameCell: Float64Array;
  /** Client order ids, of those that have one. */
  readonly names: Map<number, string>;
  /** The slot that was given back last; the one before it stands in `older`. */
  freed: number;
  /** Slots from here on were never used. */
  used: number;
};

export const NONE = -1;
export const BUY = 0;
export const SELL = 1;

export const SIDES: readonly OrderSide[] = ["buy", "sell"];
export type EndReason = Exclude<CancelReason, "">;

/** Of 8 bytes each: as many as there are fields. */
const WORDS_PER_ORDER = 22;
const WORD_BYTES = 8;

/** The memory is asked for at once, so that no order has to wait for a copy of all the others. The system gives it page by page. */
export function createOrderSlab(ordersMax: number): OrderSlab {
  // One more than may be open: the incoming order has a slot, too.
  const memory = new ArrayBuffer((ordersMax + 1) * WORDS_PER_ORDER * WORD_BYTES);
  let word = 0;
  const numbers = () => new Float64Array(memory, word++ * WORD_BYTES);
  const steps = () => new BigInt64Array(memory, word++ * WORD_BYTES);
  return {
    id: numbers(),
    side: numbers(),
    ticks: numbers(),
    lots: numbers(),
    filledLots: numbers(),
    filledValue: steps(),
    feePaid: steps(),
    updatedAt: numbers(),
    user: numbers(),
    pair: numbers(),
    pays: numbers(),
    receives: numbers(),
    older: numbers(),
    younger: numbers(),
    cell: numbers(),
    touchedAt: numbers(),
    userOlder: numbers(),
    userYounger: numbers(),
    createdAt: numbers(),
    postOnly: numbers(),
    isNamed: numbers(),
    sameCell: numbers(),
    names: new Map(),
    freed: NONE,
    used: 0,
  };
}

export function takeSlot(orders: OrderSlab): number {
  let slot = orders.freed;
  if (slot === NONE) {
    slot = orders.used;
    orders.used += WORDS_PER_ORDER;
  } else {
    orders.freed = orders.older[slot] as number;
  }
  orders.touchedAt[slot] = NONE;
  return slot;
}

export function freeSlot(orders: OrderSlab, slot: number): void {
  if (orders.isNamed[slot] === 1) orders.names.delete(slot);
  orders.older[slot] = orders.freed;
  orders.freed = slot;
}

export function nameSlot(orders: OrderSlab, { slot, name }: { readonly slot: number; readonly name: string }): void {
  orders.isNamed[slot] = name === "" ? 0 : 1;
  if (name !== "") orders.names.set(slot, name);
}

/** The client order id, or nothing. */
export function nameOf(orders: OrderSlab, slot: number): string {
  return orders.isNamed[slot] === 1 ? (orders.names.get(slot) ?? "") : "";
}

export function remainingLots(orders: OrderSlab, slot: number): number {
  return (orders.lots[slot] as number) - (orders.filledLots[slot] as number);
}
