import { wordOf } from "../book/order-slab.ts";
import { restingKind } from "../change-log.ts";
import type { ConditionRow } from "../changes.ts";
import type { OrderConditions } from "../command.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import type { ConditionPhase, ListRole, OrderType, SelfTrade, TimeInForce } from "../terms.ts";
import type { List } from "./list.ts";
import { type Timer, unsetTimer } from "./timers.ts";

/**
 * The part that only some orders have: a trigger, an expiry, a list, fewer lots than when it was placed. A plain order has none
 * of it, so that its record stays small and trading it costs one look at a number that is 0.
 */
export type Condition = {
  readonly slot: number;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  readonly quoteAmount: bigint;
  readonly selfTrade: SelfTrade;
  /** The price in the book. While the order waits for a trigger, the slab has the trigger's price instead. */
  limitTicks: number;
  phase: ConditionPhase;
  stopTicks: number;
  readonly trailingBps: number;
  extremeTicks: number;
  triggeredAt: number;
  priority: number;
  reserved: bigint;
  readonly expiry: Timer;
  list: List | undefined;
  listId: number;
  role: ListRole;
  buyOrderId: number;
  sellOrderId: number;
  readonly targetProfitPpm: number;
  readonly stopLossPpm: number;
  originalLots: number;
  preventedLots: number;
};

/** Their places are reused, the one that was freed last first. */
export type ConditionSlab = { readonly all: (Condition | undefined)[]; readonly freed: number[] };

export function createConditions(): ConditionSlab {
  return { all: [], freed: [] };
}

export function conditionOf({ orders, conditions }: EngineState, slot: number): Condition | undefined {
  const place = orders.condition[slot] as number;
  return place === 0 ? undefined : conditions.all[place - 1];
}

export const NO_CONDITIONS: OrderConditions = {
  stopTicks: 0,
  trailingBps: 0,
  expiresAt: 0,
  targetProfitPpm: 0,
  stopLossPpm: 0,
};

export type NewCondition = {
  readonly slot: number;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  readonly quoteAmount: bigint;
  readonly selfTrade: SelfTrade;
  readonly limitTicks: number;
  readonly phase: ConditionPhase;
  readonly conditions: OrderConditions;
};

export function addCondition(state: EngineState, given: NewCondition): Condition {
  const { conditions: asked, ...rest } = given;
  const condition: Condition = {
    ...rest,
    stopTicks: asked.stopTicks,
    trailingBps: asked.trailingBps,
    extremeTicks: 0,
    triggeredAt: 0,
    priority: 0,
    reserved: 0n,
    expiry: {
      dueAt: asked.expiresAt,
      place: -1,
      orderId: state.orders.id[wordOf(given.slot)] as number,
      user: undefined,
    },
    list: undefined,
    listId: 0,
    role: "",
    buyOrderId: 0,
    sellOrderId: 0,
    targetProfitPpm: asked.targetProfitPpm,
    stopLossPpm: asked.stopLossPpm,
    originalLots: 0,
    preventedLots: 0,
  };
  const { all, freed } = state.conditions;
  const place = freed.pop() ?? all.length;
  all[place] = condition;
  state.orders.condition[given.slot] = place + 1;
  return condition;
}

/** Of an order that is in the book, with or without conditions before. */
export function conditionFor(state: EngineState, slot: number): Condition {
  const known = conditionOf(state, slot);
  if (known !== undefined) return known;
  const { orders, pairs } = state;
  const pair = pairs.all[orders.pair[slot] as number] as Pair;
  return addCondition(state, {
    ...{ ...restingKind(pair, orders.id[wordOf(slot)] as number), slot, limitTicks: orders.ticks[slot] as number },
    ...{ selfTrade: "cancelNewest", phase: "placed", conditions: NO_CONDITIONS },
  });
}

/** The slot is about to be freed. */
export function dropCondition(state: EngineState, slot: number): void {
  const place = state.orders.condition[slot] as number;
  if (place === 0) return;
  const condition = state.conditions.all[place - 1];
  if (condition !== undefined) unsetTimer(state.timers, condition.expiry);
  state.conditions.all[place - 1] = undefined;
  state.conditions.freed.push(place - 1);
  state.orders.condition[slot] = 0;
}

/** The place among the orders of its price. */
export function priorityOf(state: EngineState, slot: number): number {
  const priority = conditionOf(state, slot)?.priority ?? 0;
  return priority === 0 ? (state.orders.id[wordOf(slot)] as number) : priority;
}

export const isPending = ({ phase }: Condition): boolean => phase !== "placed";

/** Whether an order becomes a limit order when it is triggered, or is one. */
export const isLimitType = (type: OrderType): boolean =>
  type === "limit" || type === "stopLimit" || type === "takeProfitLimit";

export function conditionRow(condition: Condition): ConditionRow {
  return {
    phase: condition.phase,
    stopTicks: condition.stopTicks,
    trailingBps: condition.trailingBps,
    extremeTicks: condition.extremeTicks,
    triggeredAt: condition.triggeredAt,
    expiresAt: condition.expiry.dueAt,
    selfTrade: condition.selfTrade,
    priority: condition.priority,
    reserved: condition.reserved,
    listId: condition.listId,
    role: condition.role,
    buyOrderId: condition.buyOrderId,
    sellOrderId: condition.sellOrderId,
    targetProfitPpm: condition.targetProfitPpm,
    stopLossPpm: condition.stopLossPpm,
    originalLots: condition.originalLots,
    preventedLots: condition.preventedLots,
  };
}
