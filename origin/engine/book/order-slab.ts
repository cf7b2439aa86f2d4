import type { CancelReason, OrderSide } from "../terms.ts";

/**
 * The open orders as records in one piece of memory. A slot is where an order's record begins, and each field is a view
 * that begins at its offset in the first record: `orders.ticks[slot]` reads like a table, and everything about an order
 * lies together, in two lines of the processor's cache. Slots count in four bytes, so that fields of eight are found at
 * `wordOf(slot)`. Nothing is allocated for an order; the slot that was freed last is the next one taken.
 */
export type OrderSlab = {
  readonly id: Float64Array;
  readonly ticks: Int32Array;
  readonly side: Int32Array;
  /** Index of the user, and of the pair. */
  readonly user: Int32Array;
  readonly pair: Int32Array;
  readonly lots: Float64Array;
  readonly filledLots: Float64Array;
  /** The account whose frozen amount backs the order, and the one that receives the proceeds. */
  readonly pays: Int32Array;
  readonly receives: Int32Array;
  /** Neighbours on the same price, older and younger. */
  readonly older: Int32Array;
  readonly younger: Int32Array;
  /** The ladder's cell of its price. */
  readonly cell: Int32Array;
  /** Its position among the orders touched since the changes were last taken, or `NONE`. */
  readonly touchedAt: Int32Array;
  /** Neighbours among the user's open orders of the pair. */
  readonly userOlder: Int32Array;
  readonly userYounger: Int32Array;
  readonly filledValue: BigInt64Array;
  readonly feePaid: BigInt64Array;
  readonly updatedAt: Float64Array;
  readonly createdAt: Float64Array;
  /** The next one whose id has the same cell in the index. */
  readonly sameCell: Int32Array;
  readonly postOnly: Int32Array;
  readonly isNamed: Int32Array;
  /** Where its conditions are (`conditions/condition.ts`), one more than the index; 0 for a plain order. */
  readonly condition: Int32Array;
  /** Client order ids, of those that have one. */
  readonly names: Map<number, string>;
  /** The slot that was freed last; `older` links to the one freed before it. */
  freed: number;
  /** Slots from here on were never used. */
  used: number;
};

export const NONE = -1;
export const BUY = 0;
export const SELL = 1;

export const SIDES: readonly OrderSide[] = ["buy", "sell"];
export type EndReason = Exclude<CancelReason, "">;

/**
 * In units of four bytes: 7 fields of eight bytes, 16 of four, and some to spare, so that records begin where lines of
 * the cache do.
 */
const ORDER_UNITS = 32;
const UNIT_BYTES = 4;

/** The index of an order's fields of eight bytes. */
export const wordOf = (slot: number): number => slot >> 1;

/**
 * The memory is reserved at once, so that no order waits for a copy of all the others. The system allocates it page by
 * page.
 */
export function createOrderSlab(ordersMax: number): OrderSlab {
  // One more than may be open: the incoming order has a slot, too.
  const memory = new ArrayBuffer((ordersMax + 1) * ORDER_UNITS * UNIT_BYTES);
  let begin = 0;
  const field = <View>(view: new (memory: ArrayBuffer, begin: number) => View, bytes: number): View => {
    const made = new view(memory, begin);
    begin += bytes;
    return made;
  };
  const integers = () => field(Int32Array, 4);
  const numbers = () => field(Float64Array, 8);
  const steps = () => field(BigInt64Array, 8);
  return {
    id: numbers(),
    ticks: integers(),
    side: integers(),
    user: integers(),
    pair: integers(),
    lots: numbers(),
    filledLots: numbers(),
    pays: integers(),
    receives: integers(),
    older: integers(),
    younger: integers(),
    cell: integers(),
    touchedAt: integers(),
    userOlder: integers(),
    userYounger: integers(),
    filledValue: steps(),
    feePaid: steps(),
    updatedAt: numbers(),
    createdAt: numbers(),
    sameCell: integers(),
    postOnly: integers(),
    isNamed: integers(),
    condition: integers(),
    names: new Map(),
    freed: NONE,
    used: 0,
  };
}

export function takeSlot(orders: OrderSlab): number {
  let slot = orders.freed;
  if (slot === NONE) {
    slot = orders.used;
    orders.used += ORDER_UNITS;
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
  return (orders.lots[wordOf(slot)] as number) - (orders.filledLots[wordOf(slot)] as number);
}

/**
 * From an order's id to its slot, while it is open. Ids are dense, so their low bits spread them over the table by
 * themselves and neighbours in time are neighbours in memory; collisions are linked. A JavaScript Map would block while
 * it grows.
 */
export type OrderIndex = {
  /** One more than the slot: untouched memory is zero, and costs nothing. */
  readonly cells: Int32Array;
  readonly orders: OrderSlab;
};

export function createOrderIndex(orders: OrderSlab, { ordersMax }: { readonly ordersMax: number }): OrderIndex {
  let size = 16;
  while (size < ordersMax * 2) size *= 2;
  return { cells: new Int32Array(size), orders };
}

export function findSlot({ cells, orders }: OrderIndex, id: number): number {
  let slot = (cells[id & (cells.length - 1)] as number) - 1;
  while (slot !== NONE && orders.id[wordOf(slot)] !== id) slot = orders.sameCell[slot] as number;
  return slot;
}

export function indexSlot({ cells, orders }: OrderIndex, slot: number): void {
  const cell = (orders.id[wordOf(slot)] as number) & (cells.length - 1);
  orders.sameCell[slot] = (cells[cell] as number) - 1;
  cells[cell] = slot + 1;
}

export function dropSlot({ cells, orders }: OrderIndex, slot: number): void {
  const cell = (orders.id[wordOf(slot)] as number) & (cells.length - 1);
  const next = orders.sameCell[slot] as number;
  let before = (cells[cell] as number) - 1;
  if (before === slot) {
    cells[cell] = next + 1;
    return;
  }
  while (orders.sameCell[before] !== slot) before = orders.sameCell[before] as number;
  orders.sameCell[before] = next;
}
