import { NONE, type OrderSlab, wordOf } from "./order-slab.ts";

/**
 * From an order's id to its slot, while it is open. Ids are dense, so their low bits spread them over the table by themselves and
 * neighbours in time are neighbours in memory; those few that meet in a cell are linked. A JavaScript Map would stand still while it grows.
 */
export type OrderIndex = {
  /** One more than the slot: memory that was never touched is zero, and is no cost. */
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
