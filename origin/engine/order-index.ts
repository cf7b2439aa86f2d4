import { NONE } from "./order-slab.ts";

/**
 * From an order's id to its slot, while it is open. Ids are dense, so their low bits spread them over the table by themselves
 * and neighbours in time are neighbours in memory. A JavaScript Map would stand still while it grows.
 */
export type OrderIndex = { readonly cells: Int32Array; readonly ids: Float64Array };

/** `ids` is the slab's: what a cell points to says whose cell it is. */
export function createOrderIndex(ids: Float64Array): OrderIndex {
  let size = 16;
  // At least half of it stays empty, so that a search is short.
  while (size < ids.length * 2) size *= 2;
  return { cells: new Int32Array(size), ids };
}

export function findSlot({ cells, ids }: OrderIndex, id: number): number {
  const mask = cells.length - 1;
  for (let cell = id & mask; ; cell = (cell + 1) & mask) {
    const slot = (cells[cell] as number) - 1;
    if (slot === NONE || ids[slot] === id) return slot;
  }
}

export function indexSlot({ cells, ids }: OrderIndex, slot: number): void {
  const mask = cells.length - 1;
  let cell = (ids[slot] as number) & mask;
  while (cells[cell] !== 0) cell = (cell + 1) & mask;
  cells[cell] = slot + 1;
}

/** Whoever stands behind the gap and could not have its own cell moves up, so that a search may stop at the first empty cell. */
export function dropSlot({ cells, ids }: OrderIndex, slot: number): void {
  const mask = cells.length - 1;
  let gap = (ids[slot] as number) & mask;
  while (cells[gap] !== slot + 1) gap = (gap + 1) & mask;
  for (let cell = (gap + 1) & mask; cells[cell] !== 0; cell = (cell + 1) & mask) {
    const home = (ids[(cells[cell] as number) - 1] as number) & mask;
    const isAtHomeBehindGap = ((cell - home) & mask) < ((cell - gap) & mask);
    if (isAtHomeBehindGap) continue;
    cells[gap] = cells[cell] as number;
    gap = cell;
  }
  cells[gap] = 0;
}
