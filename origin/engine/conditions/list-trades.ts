import { isShared, release, reservationOf } from "../book/open-orders.ts";
import { remainingLots } from "../book/order-slab.ts";
import type { EngineState } from "../state.ts";
import { type Condition, conditionOf } from "./condition.ts";
import { endOthers } from "./end-list.ts";
import { type List, touchList } from "./list.ts";
import { queueList } from "./work-queue.ts";

type Trade = {
  readonly buyer: number;
  readonly seller: number;
  readonly lots: number;
  readonly value: bigint;
  /** By the buyer: the value, or more in an auction, which gives the rest back to the buyer. */
  readonly paid: bigint;
  readonly quantity: bigint;
  /** By the buyer, after the fee. */
  readonly received: bigint;
};

/** The effects of a trade on the lists of its two orders, in the same step. The amounts have moved already. */
export function afterTrade(state: EngineState, trade: Trade): void {
  const { buyer, seller, paid, quantity } = trade;
  const [buy, sell] = [conditionOf(state, buyer), conditionOf(state, seller)];
  if (sell?.list !== undefined) noteTrade(state, { condition: sell, list: sell.list, paid: quantity });
  if (buy?.list !== undefined) noteTrade(state, { condition: buy, list: buy.list, paid });
  if (buy?.list !== undefined && buy.list.kind === "exit" && buy.role === "working")
    keepReceived(state, buy.list, trade);
}

type Noted = { readonly condition: Condition; readonly list: List; readonly paid: bigint };

function noteTrade(state: EngineState, { condition, list, paid }: Noted): void {
  const { slot, role } = condition;
  if (isShared(condition)) {
    list.reserved -= paid;
    takeOver(state, condition, list);
  } else if (role === "working" && list.kind !== "exit" && remainingLots(state.orders, slot) === 0)
    queueList(state, list);
}

/** One of two has traded: the other one ends, and the funds that the rest of this one does not need are released. */
function takeOver(state: EngineState, { slot }: Condition, list: List): void {
  endOthers(state, list, slot);
  const account = state.orders.pays[slot] as number;
  const { reserved } = list;
  list.reserved = 0n;
  const excess = reserved - reservationOf(state, slot);
  if (excess > 0n) release(state.accounts, account, excess);
  touchList(state, list);
}

/** The amount that a buy receives stays frozen for the sell orders that follow it. */
function keepReceived(state: EngineState, list: List, { buyer, lots, value, received }: Trade): void {
  release(state.accounts, state.orders.receives[buyer] as number, -received);
  list.reserved += received;
  list.boughtLots += lots;
  list.boughtValue += value;
  touchList(state, list);
  queueList(state, list);
}
