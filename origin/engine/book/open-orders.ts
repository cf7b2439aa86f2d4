import { type Accounts, setAt, touchAccount, type User } from "../accounts.ts";
import { type End, keepLastRow, orderRow, restingKind } from "../change-log.ts";
import type { OrderRow } from "../changes.ts";
import { type Condition, conditionOf, dropCondition, isPending } from "../conditions/condition.ts";
import { type List, touchList } from "../conditions/list.ts";
import { stopTracking } from "../conditions/trailing.ts";
import { leaveTriggers } from "../conditions/triggers.ts";
import { unqueueList } from "../conditions/work-queue.ts";
import { quantityOf, valueAt } from "../exact.ts";
import { forget, isRemembered } from "../names/references.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import { ladderOf, restOrder, takeOut } from "./book.ts";
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
  enterBook(state, slot);
  listOrder(state, slot);
}

export function enterBook(state: EngineState, slot: number): void {
  const { orders } = state;
  restOrder(ladderOf(pairOf(state, slot).book, orders.side[slot] as number), orders, slot);
}

export function leaveBook(state: EngineState, slot: number): void {
  const { orders } = state;
  takeOut(ladderOf(pairOf(state, slot).book, orders.side[slot] as number), orders, slot);
}

/** Adds an open or pending order to the index and to its user's orders. */
export function listOrder(state: EngineState, slot: number): void {
  const { orders } = state;
  const pair = pairOf(state, slot);
  const user = ownerOf(state, slot);
  indexSlot(state.index, slot);
  const older = user.youngestOpen[pair.index] ?? NONE;
  orders.userOlder[slot] = older;
  orders.userYounger[slot] = NONE;
  if (older === NONE) setAt(user.oldestOpen, pair.index, slot);
  else orders.userYounger[older] = slot;
  setAt(user.youngestOpen, pair.index, slot);
  countOpen(state, { pair, user, by: 1 });
}

/** The reverse of `openOrder`, also for a pending order. The frozen amount does not change. */
export function withdrawOrder(state: EngineState, slot: number): void {
  leavePlace(state, slot);
  unlistOrder(state, slot);
}

export function unlistOrder(state: EngineState, slot: number): void {
  const { orders } = state;
  const pair = pairOf(state, slot);
  const user = ownerOf(state, slot);
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

/** Takes an order out of the book, or out of the triggers. */
export function leavePlace(state: EngineState, slot: number): void {
  const condition = conditionOf(state, slot);
  if (condition === undefined || !isPending(condition)) {
    leaveBook(state, slot);
    return;
  }
  const pair = pairOf(state, slot);
  if (condition.phase === "tracking") stopTracking(state, pair, condition);
  else if (condition.phase !== "dormant") leaveTriggers(state, pair, condition);
  if (condition.trailingBps > 0) pair.triggers.trailing--;
}

/** Ends one order and releases its funds. `cancelWithList` (`conditions/end-list.ts`) also ends what depends on it. */
export function cancelOpenOrder(
  state: EngineState,
  { slot, reason }: { readonly slot: number; readonly reason: EndReason },
): OrderRow {
  const { orders } = state;
  release(state.accounts, orders.pays[slot] as number, reservedBy(state, slot));
  orders.updatedAt[wordOf(slot)] = state.at;
  const kind = restingKind(pairOf(state, slot), orders.id[wordOf(slot)] as number);
  withdrawOrder(state, slot);
  return endOrder(state, { slot, kind, status: "cancelled", cancelReason: reason });
}

export function release(accounts: Accounts, account: number, amount: bigint): void {
  accounts.frozen[account] = (accounts.frozen[account] as bigint) - amount;
  accounts.available[account] = (accounts.available[account] as bigint) + amount;
  touchAccount(accounts, account);
}

/** The amount that an open or pending order keeps frozen by itself, without the share of its list. */
export function reservedBy(state: EngineState, slot: number): bigint {
  const condition = conditionOf(state, slot);
  if (condition === undefined) return reservationOf(state, slot);
  if (isPending(condition)) return condition.reserved;
  return isShared(condition) ? 0n : reservationOf(state, slot);
}

/** Whether its list keeps the funds for it and for the other one. */
export function isShared({ list, role }: Condition): boolean {
  return (role === "above" || role === "below") && list !== undefined && list.reserved > 0n;
}

/** The cost of the rest of an order if it traded at its own price. */
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
  const condition = conditionOf(state, end.slot);
  if (condition !== undefined) {
    condition.phase = "placed";
    condition.reserved = 0n;
  }
  const row = orderRow(state, end);
  keepLastRow(state, { slot: end.slot, row });
  releaseSlot(state, end.slot);
  if (condition?.list !== undefined) leaveList(state, condition.list);
  return row;
}

function leaveList(state: EngineState, list: List): void {
  list.live--;
  touchList(state, list);
  if (list.live === 0) unqueueList(state, list);
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
  dropCondition(state, slot);
  freeSlot(orders, slot);
}

export function pairOf({ pairs, orders }: EngineState, slot: number): Pair {
  return pairs.all[orders.pair[slot] as number] as Pair;
}

export function ownerOf({ users, orders }: EngineState, slot: number): User {
  return users.all[orders.user[slot] as number] as User;
}

export function countOpen(
  state: EngineState,
  { pair, user, by }: { readonly pair: Pair; readonly user: User; readonly by: 1 | -1 },
): void {
  state.openOrders += by;
  pair.openOrders += by;
  user.openOrders += by;
}
