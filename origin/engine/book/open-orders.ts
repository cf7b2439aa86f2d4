import { touchAccount } from "./accounts.ts";
import { restOrder, takeOut } from "./book.ts";
import { keepLastRow } from "./change-log.ts";
import type { OrderRow } from "./changes.ts";
import { quantityOf, valueAt } from "./exact.ts";
import { dropSlot, indexSlot } from "./order-index.ts";
import { type End, orderRow, RESTING } from "./order-row.ts";
import { BUY, type EndReason, freeSlot, NONE, nameOf, remainingLots, wordOf } from "./order-slab.ts";
import type { Pair } from "./pairs.ts";
import { forget, isRemembered } from "./references.ts";
import type { EngineState } from "./state.ts";
import { setAt, type User } from "./users.ts";

/** The order rests: in its book, in the index, and among its user's. */
export function openOrder(state: EngineState, slot: number): void {
  const { orders } = state;
  const pair = pairOf(state, slot);
  const user = ownerOf(state, slot);
  restOrder(pair.book, orders, slot);
  indexSlot(state.index, slot);
  const older = user.youngestOpen[pair.index] ?? NONE;
  orders.userOlder[slot] = older;
  orders.userYounger[slot] = NONE;
  if (older === NONE) setAt(user.oldestOpen, pair.index, slot);
  else orders.userYounger[older] = slot;
  setAt(user.youngestOpen, pair.index, slot);
  countOpen(state, { pair, user, by: 1 });
}

/** The other way round. What it froze is not touched. */
export function withdrawOrder(state: EngineState, slot: number): void {
  const { orders } = state;
  const pair = pairOf(state, slot);
  const user = ownerOf(state, slot);
  takeOut(pair.book, orders, slot);
  dropSlot(state.index, slot);
  const older = orders.userOlder[slot] as number;
  const younger = orders.userYounger[slot] as number;
  if (older === NONE) user.oldestOpen[pair.index] = younger;
  else orders.userYounger[older] = younger;
  if (younger === NONE) user.youngestOpen[pair.index] = older;
  else orders.userOlder[younger] = older;
  countOpen(state, { pair, user, by: -1 });
}

export function cancelOpenOrder(state: EngineState, { slot, reason }: { readonly slot: number; readonly reason: EndReason }): OrderRow {
  const { orders, accounts } = state;
  const account = orders.pays[slot] as number;
  const reserved = reservationOf(state, slot);
  accounts.frozen[account] = (accounts.frozen[account] as bigint) - reserved;
  accounts.available[account] = (accounts.available[account] as bigint) + reserved;
  touchAccount(accounts, account);
  orders.updatedAt[wordOf(slot)] = state.at;
  withdrawOrder(state, slot);
  return endOrder(state, { slot, kind: RESTING, status: "cancelled", cancelReason: reason });
}

/** What an open order keeps frozen: what it would pay if the rest of it traded at its own price. */
export function reservationOf(state: EngineState, slot: number): bigint {
  const { orders } = state;
  const pair = pairOf(state, slot);
  const lots = remainingLots(orders, slot);
  return orders.side[slot] === BUY ? valueAt(pair, { ticks: orders.ticks[slot] as number, lots }) : quantityOf(pair, lots);
}

/** The last that is seen of an order here. */
export function endOrder(state: EngineState, end: End): OrderRow {
  const row = orderRow(state, end);
  keepLastRow(state, { slot: end.slot, row });
  releaseSlot(state, end.slot);
  return row;
}

/** An order that was open for longer than memory holds its name has kept it until now. */
export function releaseSlot(state: EngineState, slot: number): void {
  const { orders } = state;
  const name = nameOf(orders, slot);
  if (name !== "") {
    const reference = ownerOf(state, slot).orderNames.get(name);
    const isOurs = reference !== undefined && reference.orderId === orders.id[wordOf(slot)];
    if (isOurs && !(reference.isHeld && isRemembered(reference, state.at))) forget(reference);
  }
  freeSlot(orders, slot);
}

function pairOf({ pairs, orders }: EngineState, slot: number): Pair {
  return pairs.all[orders.pair[slot] as number] as Pair;
}

export function ownerOf({ users, orders }: EngineState, slot: number): User {
  return users.all[orders.user[slot] as number] as User;
}

function countOpen(state: EngineState, { pair, user, by }: { readonly pair: Pair; readonly user: User; readonly by: 1 | -1 }): void {
  state.openOrders += by;
  pair.openOrders += by;
  user.openOrders += by;
}
