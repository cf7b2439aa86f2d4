import { cancelOpenOrder, release } from "../book/open-orders.ts";
import { type EndReason, NONE } from "../book/order-slab.ts";
import { touchOrder } from "../change-log.ts";
import type { OrderRow } from "../changes.ts";
import type { EngineState } from "../state.ts";
import { conditionOf } from "./condition.ts";
import { type List, legsOf, slotInList, touchList } from "./list.ts";
import { queueList, unqueueList } from "./work-queue.ts";

type Cancelled = { readonly slot: number; readonly reason: EndReason };

/** Ends an order, and what depends on it in its list. Its own row comes first. */
export function cancelWithList(state: EngineState, cancelled: Cancelled): readonly OrderRow[] {
  const condition = conditionOf(state, cancelled.slot);
  const list = condition?.list;
  if (condition === undefined || list === undefined) return [cancelOpenOrder(state, cancelled)];
  if (list.kind === "exit" && condition.role === "working") return cancelBuy(state, list, cancelled);
  const rows = cancelTogether(state, list, cancelled);
  if (list.kind === "exit") letGoOfBuy(state, list);
  return rows;
}

/** The amount that the buy has received stays protected; without anything, its sell orders end too. */
function cancelBuy(state: EngineState, list: List, cancelled: Cancelled): readonly OrderRow[] {
  const row = cancelOpenOrder(state, cancelled);
  if (list.boughtLots > 0) {
    queueList(state, list);
    return [row];
  }
  return [row, ...cancelLegs(state, list)];
}

/** All orders of the list that can still trade; of an exit only those above and below. */
function cancelTogether(state: EngineState, list: List, { slot, reason }: Cancelled): readonly OrderRow[] {
  const account = state.orders.pays[legAccountSlot(state, list, slot)] as number;
  const { reserved } = list;
  const others = (list.kind === "exit" ? legsOf(state, list) : slotsOf(state, list)).filter(
    (other) => other !== NONE && other !== slot,
  );
  const rows = [cancelOpenOrder(state, { slot, reason })];
  for (const other of others) rows.push(cancelOpenOrder(state, { slot: other, reason: "list" }));
  giveBack(state, { list, account, reserved });
  return rows;
}

/** Orders that wait for a working order which has ended. */
export function cancelLegs(state: EngineState, list: List): readonly OrderRow[] {
  const slots = slotsOf(state, list).filter((slot) => slot !== NONE);
  return slots.map((slot) => cancelOpenOrder(state, { slot, reason: "list" }));
}

/** The other order of the pair above and below ends, and the rest of the buy that they follow. */
export function endOthers(state: EngineState, list: List, slot: number): void {
  for (const leg of legsOf(state, list))
    if (leg !== NONE && leg !== slot) cancelOpenOrder(state, { slot: leg, reason: "list" });
  if (list.kind === "exit") endBuy(state, list);
  unqueueList(state, list);
}

/** While an auction opens, the book stands still: the rest of the buy stays, and is followed no longer. */
function endBuy(state: EngineState, list: List): void {
  const buy = slotInList(state, list, 0);
  if (buy === NONE || conditionOf(state, buy)?.list !== list) return;
  if (list.pair.terms.state === "trading") cancelOpenOrder(state, { slot: buy, reason: "exitBegun" });
  else letGoOfBuy(state, list);
}

/** The buy continues as any other order. */
function letGoOfBuy(state: EngineState, list: List): void {
  unqueueList(state, list);
  const slot = slotInList(state, list, 0);
  const condition = slot === NONE ? undefined : conditionOf(state, slot);
  if (condition === undefined || condition.list !== list) return;
  condition.list = undefined;
  condition.listId = 0;
  condition.role = "";
  touchOrder(state, slot);
  list.live--;
  touchList(state, list);
}

export function giveBack(
  state: EngineState,
  { list, account, reserved }: { readonly list: List; readonly account: number; readonly reserved: bigint },
): void {
  if (reserved === 0n) return;
  list.reserved = 0n;
  release(state.accounts, account, reserved);
  touchList(state, list);
}

/** An order of the list whose funds the list keeps. */
function legAccountSlot(state: EngineState, list: List, slot: number): number {
  return legsOf(state, list).find((leg) => leg !== NONE) ?? slot;
}

const slotsOf = (state: EngineState, list: List) => list.orderIds.map((_, place) => slotInList(state, list, place));

/** All orders of a list, at the user's wish. */
export function cancelWholeList(state: EngineState, list: List): readonly OrderRow[] {
  const slots = slotsOf(state, list).filter((slot) => slot !== NONE && conditionOf(state, slot)?.list === list);
  const account = state.orders.pays[legAccountSlot(state, list, slots[0] ?? NONE)] as number;
  const { reserved } = list;
  const rows = slots.map((slot) => cancelOpenOrder(state, { slot, reason: "user" }));
  giveBack(state, { list, account, reserved });
  return rows;
}
