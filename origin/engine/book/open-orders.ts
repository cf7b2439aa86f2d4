import { setAt, touchAccount, type User } from "../accounts.ts";
import { type End, keepLastRow, orderRow, restingKind } from "../change-log.ts";
import type { OrderRow } from "../changes.ts";
import { quantityOf, valueAt } from "../exact.ts";
import { forget, isRemembered } from "../names/references.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import { restOrder, takeOut } from "./book.ts";
import {
  BUY,
  dropSlot,
  type EndReason,
  freeSlot,
  indexSlot,
  NONE,
  nameOf,
  remainingLots,
  wordOf,
} from "./order-slab.ts";

/** Adds a resting order to its book, to the index and to its user's orders. */
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

/** The reverse of `openOrder`. The frozen amount does not change. */
export function withdrawOrder(state: EngineState, slot: number): void {
  const { orders } = state;
  const pair = pairOf(state, slot);
  const user = ownerOf(state, slot);
  takeOut(pair.book, orders, slot);
  dropSlot(state.index, slot);
  if (pair.onOpen.size > 0) pair.onOpen.delete(orders.id[wordOf(slot)] as number);
  const older = orders.userOlder[slot] as number;
  const younger = orders.userYounger[slot] as number;
  if (older === NONE) user.oldestOpen[pair.index] = younger;
  else orders.userYounger[older] = younger;
  if (younger === NONE) user.youngestOpen[pair.index] = older;
  else orders.userOlder[younger] = older;
  countOpen(state, { pair, user, by: -1 });
}

export function cancelOpenOrder(
  state: EngineState,
  { slot, reason }: { readonly slot: number; readonly reason: EndReason },
): OrderRow {
  const { orders, accounts } = state;
  const account = orders.pays[slot] as number;
  const reserved = reservationOf(state, slot);
  accounts.frozen[account] = (accounts.frozen[account] as bigint) - reserved;
  accounts.available[account] = (accounts.available[account] as bigint) + reserved;
  touchAccount(accounts, account);
  orders.updatedAt[wordOf(slot)] = state.at;
  const kind = restingKind(pairOf(state, slot), orders.id[wordOf(slot)] as number);
  withdrawOrder(state, slot);
  return endOrder(state, { slot, kind, status: "cancelled", cancelReason: reason });
}

/** The amount that an open order keeps frozen: its cost if the rest traded at its own price. */
export function reservationOf(state: EngineState, slot: number): bigint {
  const { orders } = state;
  const pair = pairOf(state, slot);
  const lots = remainingLots(orders, slot);
  return orders.side[slot] === BUY
    ? valueAt(pair, { ticks: orders.ticks[slot] as number, lots })
    : quantityOf(pair, lots);
}

/** Ends an order: makes its last row and frees its slot. */
export function endOrder(state: EngineState, end: End): OrderRow {
  const row = orderRow(state, end);
  keepLastRow(state, { slot: end.slot, row });
  releaseSlot(state, end.slot);
  return row;
}

/** An order keeps its name while it is open, also after the name's 24 hours: it is released here. */
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

export function pairOf({ pairs, orders }: EngineState, slot: number): Pair {
  return pairs.all[orders.pair[slot] as number] as Pair;
}

export function ownerOf({ users, orders }: EngineState, slot: number): User {
  return users.all[orders.user[slot] as number] as User;
}

function countOpen(
  state: EngineState,
  { pair, user, by }: { readonly pair: Pair; readonly user: User; readonly by: 1 | -1 },
): void {
  state.openOrders += by;
  pair.openOrders += by;
  user.openOrders += by;
}
