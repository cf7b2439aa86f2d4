import { bestCell, clearCell, createLadder, type Ladder, markCell, worseCell } from "./ladder.ts";
import { BUY, NONE, type OrderSlab, SELL } from "./order-slab.ts";

/** The resting orders of a pair: the better price first, and the older order within a price. */
export type Book = { readonly buys: Ladder; readonly sells: Ladder };

export function createBook(): Book {
  return { buys: createLadder(BUY), sells: createLadder(SELL) };
}

function ladderOf(book: Book, side: number): Ladder {
  return side === BUY ? book.buys : book.sells;
}

/** What an order of this side trades with. */
export function oppositeOf(book: Book, side: number): Ladder {
  return side === BUY ? book.sells : book.buys;
}

/** Who is next on this side, or `NONE`. */
export function firstOrder(ladder: Ladder): number {
  const cell = bestCell(ladder);
  return cell === NONE ? NONE : (ladder.oldest[cell] as number);
}

/** Who comes after, or `NONE`. */
export function nextOrder(ladder: Ladder, { orders, slot }: { readonly orders: OrderSlab; readonly slot: number }): number {
  const younger = orders.younger[slot] as number;
  if (younger !== NONE) return younger;
  const cell = worseCell(ladder, { cell: orders.cell[slot] as number, ticks: orders.ticks[slot] as number });
  return cell === NONE ? NONE : (ladder.oldest[cell] as number);
}

/** Behind everybody who stands on its price already. */
export function restOrder(book: Book, orders: OrderSlab, slot: number): void {
  const ladder = ladderOf(book, orders.side[slot] as number);
  const cell = markCell(ladder, orders.ticks[slot] as number);
  const older = ladder.youngest[cell] as number;
  orders.cell[slot] = cell;
  orders.older[slot] = older;
  orders.younger[slot] = NONE;
  if (older === NONE) ladder.oldest[cell] = slot;
  else orders.younger[older] = slot;
  ladder.youngest[cell] = slot;
}

export function takeOut(book: Book, orders: OrderSlab, slot: number): void {
  const ladder = ladderOf(book, orders.side[slot] as number);
  const cell = orders.cell[slot] as number;
  const older = orders.older[slot] as number;
  const younger = orders.younger[slot] as number;
  if (older === NONE) ladder.oldest[cell] = younger;
  else orders.younger[older] = younger;
  if (younger === NONE) ladder.youngest[cell] = older;
  else orders.older[younger] = older;
  if (older === NONE && younger === NONE) clearCell(ladder, { cell, ticks: orders.ticks[slot] as number });
}
