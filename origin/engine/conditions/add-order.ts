import { accountOf, touchAccount, type User } from "../accounts.ts";
import { listOrder } from "../book/open-orders.ts";
import { BUY, nameSlot, SELL, takeSlot, wordOf } from "../book/order-slab.ts";
import { touchOrder } from "../change-log.ts";
import type { ListOrder } from "../command.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import { addCondition, type Condition, NO_CONDITIONS } from "./condition.ts";
import { setTimer } from "./timers.ts";
import { startTracking } from "./trailing.ts";
import { enterTriggers, isReached, isRising, reach } from "./triggers.ts";

export type NewPending = { readonly id: number; readonly user: User; readonly pair: Pair; readonly order: ListOrder };

/** An order that is not in the book yet. */
export function addPending(state: EngineState, { id, user, pair, order }: NewPending): Condition {
  const { orders, accounts } = state;
  const slot = takeSlot(orders);
  const side = order.side === "buy" ? BUY : SELL;
  const base = accountOf(accounts, user, pair.base);
  const quote = accountOf(accounts, user, pair.quote);
  orders.id[wordOf(slot)] = id;
  orders.user[slot] = user.index;
  orders.pair[slot] = pair.index;
  orders.side[slot] = side;
  orders.postOnly[slot] = order.postOnly ? 1 : 0;
  orders.ticks[slot] = order.ticks;
  orders.lots[wordOf(slot)] = order.lots;
  orders.filledLots[wordOf(slot)] = 0;
  orders.filledValue[wordOf(slot)] = 0n;
  orders.feePaid[wordOf(slot)] = 0n;
  orders.createdAt[wordOf(slot)] = state.at;
  orders.updatedAt[wordOf(slot)] = state.at;
  nameSlot(orders, { slot, name: order.clientOrderId });
  orders.pays[slot] = side === BUY ? quote : base;
  orders.receives[slot] = side === BUY ? base : quote;
  const { type, timeInForce, quoteAmount, selfTrade, ticks: limitTicks, conditions = NO_CONDITIONS } = order;
  const condition = addCondition(state, {
    ...{ slot, type, timeInForce, quoteAmount, selfTrade, limitTicks, conditions },
    phase: "dormant",
  });
  if (conditions.trailingBps > 0) pair.triggers.trailing++;
  if (conditions.expiresAt > 0) setTimer(state.timers, condition.expiry, conditions.expiresAt);
  listOrder(state, slot);
  touchOrder(state, slot);
  return condition;
}

/** False, and nothing changed, if the available amount is not enough. */
export function freeze({ accounts }: EngineState, account: number, amount: bigint): boolean {
  if ((accounts.available[account] as bigint) < amount) return false;
  accounts.available[account] = (accounts.available[account] as bigint) - amount;
  accounts.frozen[account] = (accounts.frozen[account] as bigint) + amount;
  touchAccount(accounts, account);
  return true;
}

/** From now on it waits for its price. */
export function awaitTrigger(state: EngineState, pair: Pair, condition: Condition): void {
  const { slot, stopTicks, trailingBps } = condition;
  const rises = isRising({ type: condition.type, phase: "waiting" }, state.orders.side[slot] as number);
  touchOrder(state, slot);
  if (trailingBps > 0 && (stopTicks === 0 || isReached({ isRising: rises, stopTicks, lastTicks: pair.lastTicks }))) {
    startTracking(state, pair, condition);
    return;
  }
  condition.phase = "waiting";
  state.orders.ticks[slot] = stopTicks;
  enterTriggers(state, pair, condition);
}

/** For an order that its list places: it enters now, whatever its id, and runs at once if its price is reached. */
export function awaitTriggerNow(state: EngineState, pair: Pair, condition: Condition): void {
  condition.priority = state.nextOrderId++;
  awaitTrigger(state, pair, condition);
  if (condition.phase !== "waiting") return;
  const rises = isRising(condition, state.orders.side[condition.slot] as number);
  if (isReached({ isRising: rises, stopTicks: condition.stopTicks, lastTicks: pair.lastTicks }))
    reach(state, pair, pair.lastTicks);
}
