import type { User } from "../accounts.ts";
import { findSlot, NONE } from "../book/order-slab.ts";
import type { ListRow } from "../changes.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import type { ListKind } from "../terms.ts";
import { conditionOf } from "./condition.ts";

/**
 * An order list. Its orders refer to it; it is found by the id of any of them, which are the numbers after its own. So
 * a list that is done is forgotten with its last order.
 */
export type List = {
  readonly id: number;
  readonly user: User;
  readonly pair: Pair;
  readonly kind: ListKind;
  readonly clientListId: string;
  readonly orderIds: readonly number[];
  /** Frozen for the orders above and below, once for both. Not 0 as long as neither has traded or was triggered. */
  reserved: bigint;
  /** Its place in the queue of work, or 0. */
  as: number;
  readonly targetProfitPpm: number;
  readonly stopLossPpm: number;
  boughtLots: number;
  boughtValue: bigint;
  readonly createdAt: number;
  updatedAt: number;
  /** How many of its orders are pending or open. */
  live: number;
  isTouched: boolean;
};

/** The most orders of a list. */
const LIST_ORDERS_MAX = 3;

export function findList(state: EngineState, id: number): List | undefined {
  for (let offset = 1; offset <= LIST_ORDERS_MAX; offset++) {
    const slot = findSlot(state.index, id + offset);
    const list = slot === NONE ? undefined : conditionOf(state, slot)?.list;
    if (list !== undefined && list.id === id) return list;
  }
  return undefined;
}

/** The slot of the order with this place in the list, or `NONE` if it has ended or never was. */
export function slotInList(state: EngineState, { orderIds }: List, place: number): number {
  const orderId = orderIds[place] ?? 0;
  return orderId === 0 ? NONE : findSlot(state.index, orderId);
}

/** The slots of the orders above and below, or `NONE`. */
export function legsOf(state: EngineState, list: List): readonly [above: number, below: number] {
  const first = list.kind === "oco" ? 0 : 1;
  return [slotInList(state, list, first), slotInList(state, list, first + 1)];
}

export function touchList(state: EngineState, list: List): void {
  list.updatedAt = state.at;
  if (list.isTouched) return;
  list.isTouched = true;
  state.log.lists.push(list);
}

export function listRow(list: List): ListRow {
  return {
    id: list.id,
    user: list.user.name,
    pair: list.pair.name,
    kind: list.kind,
    clientListId: list.clientListId,
    orderIds: list.orderIds,
    status: list.live === 0 ? "done" : "active",
    reserved: list.reserved,
    dueAs: list.as,
    targetProfitPpm: list.targetProfitPpm,
    stopLossPpm: list.stopLossPpm,
    boughtLots: list.boughtLots,
    boughtValue: list.boughtValue,
    createdAt: list.createdAt,
    updatedAt: list.updatedAt,
  };
}
