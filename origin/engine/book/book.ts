import { TICKS_MAX } from "../limits.ts";
import { BUY, NONE, type OrderSlab, SELL } from "./order-slab.ts";

/** The resting orders of a pair: the better price first, and the older order within a price. */
export type Book = { readonly buys: Ladder; readonly sells: Ladder };

export function createBook(): Book {
  return { buys: createLadder(BUY), sells: createLadder(SELL) };
}

export function ladderOf(book: Book, side: number): Ladder {
  return side === BUY ? book.buys : book.sells;
}

/** The side that an order of this side trades with. */
export function oppositeOf(book: Book, side: number): Ladder {
  return side === BUY ? book.sells : book.buys;
}

/** The first order of this side, or `NONE`. */
export function firstOrder(ladder: Ladder): number {
  const cell = bestCell(ladder);
  return cell === NONE ? NONE : (ladder.oldest[cell] as number);
}

/** The order after this one, or `NONE`. */
export function nextOrder(
  ladder: Ladder,
  { orders, slot }: { readonly orders: OrderSlab; readonly slot: number },
): number {
  const younger = orders.younger[slot] as number;
  return younger === NONE ? nextLevel(ladder, { orders, slot }) : younger;
}

/** The first order at this price or a worse one, or `NONE`. */
export function firstOrderFrom(ladder: Ladder, ticks: number): number {
  const rank = rankOf(ladder, ticks);
  const number = rank >> CELL_BITS;
  const position = positionOf(ladder, number);
  if (position < ladder.count && ladder.numbers[position] === number) {
    const page = ladder.pages[position] as number;
    const notBetter = (ladder.bits[page] as number) & ((2 << (rank & CELL_MASK)) - 1);
    if (notBetter !== 0) return ladder.oldest[(page << CELL_BITS) + highestBit(notBetter)] as number;
  }
  if (position === 0) return NONE;
  const next = ladder.pages[position - 1] as number;
  return ladder.oldest[(next << CELL_BITS) + highestBit(ladder.bits[next] as number)] as number;
}

/** The first order of the next price that is worse than this order's, or `NONE`. */
export function nextLevel(
  ladder: Ladder,
  { orders, slot }: { readonly orders: OrderSlab; readonly slot: number },
): number {
  const cell = worseCell(ladder, { cell: orders.cell[slot] as number, ticks: orders.ticks[slot] as number });
  return cell === NONE ? NONE : (ladder.oldest[cell] as number);
}

/** Behind all other orders of its price. */
export function restOrder(ladder: Ladder, orders: OrderSlab, slot: number): void {
  const cell = markCell(ladder, orders.ticks[slot] as number);
  const older = ladder.youngest[cell] as number;
  orders.cell[slot] = cell;
  orders.older[slot] = older;
  orders.younger[slot] = NONE;
  if (older === NONE) ladder.oldest[cell] = slot;
  else orders.younger[older] = slot;
  ladder.youngest[cell] = slot;
}

/** The reverse of `takeOut`, if nothing has changed in between: exactly where it was. */
export function putBack(ladder: Ladder, orders: OrderSlab, slot: number): void {
  const older = orders.older[slot] as number;
  const younger = orders.younger[slot] as number;
  if (older === NONE && younger === NONE) {
    restOrder(ladder, orders, slot);
    return;
  }
  const cell = orders.cell[slot] as number;
  if (older === NONE) ladder.oldest[cell] = slot;
  else orders.younger[older] = slot;
  if (younger === NONE) ladder.youngest[cell] = slot;
  else orders.older[younger] = slot;
}

export function takeOut(ladder: Ladder, orders: OrderSlab, slot: number): void {
  const cell = orders.cell[slot] as number;
  const older = orders.older[slot] as number;
  const younger = orders.younger[slot] as number;
  if (older === NONE) ladder.oldest[cell] = younger;
  else orders.younger[older] = younger;
  if (younger === NONE) ladder.youngest[cell] = older;
  else orders.older[younger] = older;
  if (older === NONE && younger === NONE) clearCell(ladder, { cell, ticks: orders.ticks[slot] as number });
}

/**
 * The prices of one side of a book. Sixteen neighbouring prices share a page, with one bit for each that has orders; a
 * sorted directory lists the pages with orders, the best one last. So the best price is one look at one word, a price
 * near the top is found in a few steps, and a price far from all others costs one page.
 */
export type Ladder = {
  readonly side: number;
  /** The directory: page numbers (rank / 16) in ascending order, and where each page is stored. */
  numbers: Int32Array;
  pages: Int32Array;
  count: number;
  /** By page: which of its prices have orders. */
  bits: Int32Array;
  /** By cell (16 for each page): the oldest and the youngest order of the price. */
  oldest: Int32Array;
  youngest: Int32Array;
  freed: number[];
  usedPages: number;
};

const CELL_BITS = 4;
const CELLS = 1 << CELL_BITS;
const CELL_MASK = CELLS - 1;
const PAGES_AT_FIRST = 16;

export function createLadder(side: number): Ladder {
  return {
    side,
    numbers: new Int32Array(PAGES_AT_FIRST),
    pages: new Int32Array(PAGES_AT_FIRST),
    count: 0,
    bits: new Int32Array(PAGES_AT_FIRST),
    oldest: new Int32Array(PAGES_AT_FIRST * CELLS),
    youngest: new Int32Array(PAGES_AT_FIRST * CELLS),
    freed: [],
    usedPages: 0,
  };
}

/** The best price has the highest rank on both sides, so that both share one code. */
function rankOf(ladder: Ladder, ticks: number): number {
  return ladder.side === BUY ? ticks : TICKS_MAX - ticks;
}

/** The cell of the best price, or `NONE`. */
function bestCell(ladder: Ladder): number {
  if (ladder.count === 0) return NONE;
  const page = ladder.pages[ladder.count - 1] as number;
  return (page << CELL_BITS) + highestBit(ladder.bits[page] as number);
}

/** The cell of the next price that is worse, or `NONE`. `ticks` is the price of `cell`. */
function worseCell(ladder: Ladder, { cell, ticks }: { readonly cell: number; readonly ticks: number }): number {
  const page = cell >> CELL_BITS;
  const worse = (ladder.bits[page] as number) & ((1 << (cell & CELL_MASK)) - 1);
  if (worse !== 0) return (page << CELL_BITS) + highestBit(worse);
  const position = positionOf(ladder, rankOf(ladder, ticks) >> CELL_BITS);
  if (position === 0) return NONE;
  const next = ladder.pages[position - 1] as number;
  return (next << CELL_BITS) + highestBit(ladder.bits[next] as number);
}

/** The cell of a price, marked as having orders. */
function markCell(ladder: Ladder, ticks: number): number {
  const rank = rankOf(ladder, ticks);
  const number = rank >> CELL_BITS;
  const position = positionOf(ladder, number);
  const isKnown = position < ladder.count && ladder.numbers[position] === number;
  const page = isKnown ? (ladder.pages[position] as number) : insertPage(ladder, { number, position });
  const bit = 1 << (rank & CELL_MASK);
  const cell = (page << CELL_BITS) + (rank & CELL_MASK);
  const bits = ladder.bits[page] as number;
  if ((bits & bit) === 0) {
    ladder.bits[page] = bits | bit;
    ladder.oldest[cell] = NONE;
    ladder.youngest[cell] = NONE;
  }
  return cell;
}

/** Called when the last order of the price is gone. */
function clearCell(ladder: Ladder, { cell, ticks }: { readonly cell: number; readonly ticks: number }): void {
  const page = cell >> CELL_BITS;
  const bits = (ladder.bits[page] as number) & ~(1 << (cell & CELL_MASK));
  ladder.bits[page] = bits;
  if (bits !== 0) return;
  const position = positionOf(ladder, rankOf(ladder, ticks) >> CELL_BITS);
  ladder.numbers.copyWithin(position, position + 1, ladder.count);
  ladder.pages.copyWithin(position, position + 1, ladder.count);
  ladder.count--;
  ladder.freed.push(page);
}

/** A page's position in the directory, or where it would be inserted. */
function positionOf({ numbers, count }: Ladder, number: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insertPage(
  ladder: Ladder,
  { number, position }: { readonly number: number; readonly position: number },
): number {
  const page = ladder.freed.pop() ?? newPage(ladder);
  ladder.numbers.copyWithin(position + 1, position, ladder.count);
  ladder.pages.copyWithin(position + 1, position, ladder.count);
  ladder.numbers[position] = number;
  ladder.pages[position] = page;
  ladder.bits[page] = 0;
  ladder.count++;
  return page;
}

function newPage(ladder: Ladder): number {
  if (ladder.usedPages === ladder.bits.length) {
    ladder.numbers = doubled(ladder.numbers);
    ladder.pages = doubled(ladder.pages);
    ladder.bits = doubled(ladder.bits);
    ladder.oldest = doubled(ladder.oldest);
    ladder.youngest = doubled(ladder.youngest);
  }
  return ladder.usedPages++;
}

function doubled(array: Int32Array): Int32Array {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

function highestBit(bits: number): number {
  return 31 - Math.clz32(bits);
}
