import {
  type Book,
  createBook,
  firstOrder,
  ladderOf,
  oppositeOf,
  restOrder,
  takeOut,
} from "../../../origin/engine/book/book.ts";
import {
  BUY,
  createOrderIndex,
  createOrderSlab,
  dropSlot,
  findSlot,
  freeSlot,
  indexSlot,
  NONE,
  type OrderIndex,
  type OrderSlab,
  remainingLots,
  SELL,
  takeSlot,
  wordOf,
} from "../../../origin/engine/book/order-slab.ts";
import { allOperations, type Prepare } from "./engine-books.ts";
import type { Operation } from "./engine-operations.ts";

/** The engine's book without balances, outcomes and changes, comparable to the libraries. */
export const bareBook: Prepare = (file) => {
  const operations = allOperations(file);
  const ordersMax = operations.length;
  const orders = createOrderSlab(ordersMax);
  const bare: Bare = { orders, index: createOrderIndex(orders, { ordersMax }), book: createBook() };
  return {
    play(from, to) {
      for (let next = from; next < to; next++) {
        const operation = operations[next];
        if (operation?.kind === "cancel") cancel(bare, operation.of);
        else if (operation !== undefined) place(bare, operation, next);
      }
    },
    lotsLeft() {
      let lots = 0;
      for (let id = 0; id < operations.length; id++) {
        const slot = findSlot(bare.index, id);
        if (slot !== NONE) lots += remainingLots(orders, slot);
      }
      return lots;
    },
  };
};

type Bare = { readonly orders: OrderSlab; readonly index: OrderIndex; readonly book: Book };
type Order = Exclude<Operation, { readonly kind: "cancel" }>;

const ANY_PRICE = 2 ** 31 - 1;

function place(bare: Bare, order: Order, id: number): void {
  const { orders } = bare;
  const left = trade(bare, order);
  if (left === 0 || order.kind === "market") return;
  const slot = takeSlot(orders);
  orders.id[wordOf(slot)] = id;
  orders.side[slot] = order.side === "buy" ? BUY : SELL;
  orders.ticks[slot] = order.ticks;
  orders.lots[wordOf(slot)] = left;
  orders.filledLots[wordOf(slot)] = 0;
  orders.isNamed[slot] = 0;
  restOrder(ladderOf(bare.book, orders.side[slot] as number), orders, slot);
  indexSlot(bare.index, slot);
}

/** Returns the remaining lots. */
function trade(bare: Bare, order: Order): number {
  const { orders, book } = bare;
  const { side, lots } = order;
  const ticks = order.kind === "limit" ? order.ticks : side === "buy" ? ANY_PRICE : 0;
  const ladder = oppositeOf(book, side === "buy" ? BUY : SELL);
  let left = lots;
  for (let maker = firstOrder(ladder); maker !== NONE && left > 0; maker = firstOrder(ladder)) {
    const price = orders.ticks[maker] as number;
    if (side === "buy" ? price > ticks : price < ticks) return left;
    const taken = Math.min(left, remainingLots(orders, maker));
    left -= taken;
    orders.filledLots[wordOf(maker)] = (orders.filledLots[wordOf(maker)] as number) + taken;
    if (remainingLots(orders, maker) === 0) end(bare, maker);
  }
  return left;
}

function cancel(bare: Bare, id: number): void {
  const slot = findSlot(bare.index, id);
  if (slot !== NONE) end(bare, slot);
}

function end({ orders, index, book }: Bare, slot: number): void {
  takeOut(ladderOf(book, orders.side[slot] as number), orders, slot);
  dropSlot(index, slot);
  freeSlot(orders, slot);
}
