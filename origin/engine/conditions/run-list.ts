import { firstOrder, oppositeOf } from "../book/book.ts";
import { enterBook, leavePlace, pairOf } from "../book/open-orders.ts";
import { BUY, NONE, wordOf } from "../book/order-slab.ts";
import { touchOrder } from "../change-log.ts";
import { marketLimitTicks } from "../check-order.ts";
import { quantityOf } from "../exact.ts";
import { isBeyond, lotsWanted, previewSweep, type Stop } from "../match.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import type { CancelReason } from "../terms.ts";
import { awaitTriggerNow, freeze } from "./add-order.ts";
import { isTriggerType, triggerReserve } from "./check-conditions.ts";
import type { Condition } from "./condition.ts";
import { growExit } from "./exit.ts";
import { type List, legsOf, slotInList, touchList } from "./list.ts";
import { end, runOrder, takeReserve } from "./run-order.ts";
import { conditionAt, nextInBook } from "./triggers.ts";

/** The working order of a list was filled, or a buy has received more: the orders that wait for it are placed. */
export function runList(state: EngineState, list: List): void {
  if (list.kind === "exit") growExit(state, list);
  else if (list.kind === "oto") placePending(state, list);
  else placeLegs(state, list);
}

/** As if it were placed now: its funds are reserved now, and without them it fails. */
function placePending(state: EngineState, list: List): void {
  const slot = slotInList(state, list, 1);
  if (slot === NONE) return;
  const condition = conditionAt(state, slot);
  const pair = pairOf(state, slot);
  if (isPostOnlyCrossing(state, condition, pair)) {
    fail(state, condition, "postOnly");
    return;
  }
  const need = needOf(state, condition, pair);
  if (typeof need === "string" || !freeze(state, state.orders.pays[slot] as number, need)) {
    fail(state, condition, typeof need === "string" ? need : "fundsInsufficient");
    return;
  }
  if (isTriggerType(condition.type)) {
    condition.reserved = need;
    awaitTriggerNow(state, pair, condition);
  } else runOrder(state, condition, need);
}

function fail(state: EngineState, condition: Condition, reason: CancelReason): void {
  leavePlace(state, condition.slot);
  end(state, { condition, reason });
}

function isPostOnlyCrossing(state: EngineState, condition: Condition, pair: Pair): boolean {
  return state.orders.postOnly[condition.slot] === 1 && isCrossing(state, condition, pair);
}

/** One reservation for both: the larger need. */
function placeLegs(state: EngineState, list: List): void {
  const legs = legsOf(state, list)
    .filter((slot) => slot !== NONE)
    .map((slot) => conditionAt(state, slot));
  const [first] = legs;
  if (first === undefined) return;
  const pair = pairOf(state, first.slot);
  const needs = legs.map((condition) => limitOrTriggerNeed(state, condition, pair));
  const need = needs.reduce((most, one) => (one > most ? one : most), 0n);
  if (!freeze(state, state.orders.pays[first.slot] as number, need)) {
    for (const condition of legs) fail(state, condition, "fundsInsufficient");
    return;
  }
  list.reserved = need;
  touchList(state, list);
  for (const condition of legs) if (isTriggerType(condition.type)) awaitTriggerNow(state, pair, condition);
  for (const condition of legs) if (condition.type === "limit") placeLimitLeg(state, pair, condition);
}

/** Into the book, or at once to the other side of it: then its counterpart ends. */
export function placeLimitLeg(state: EngineState, pair: Pair, condition: Condition): void {
  if (isCrossing(state, condition, pair)) {
    runOrder(state, condition, takeReserve(state, condition));
    return;
  }
  condition.priority = nextInBook(state, pair);
  restLeg(state, condition);
}

/** Into the book; its list keeps the funds. */
export function restLeg(state: EngineState, condition: Condition): void {
  const { slot } = condition;
  condition.phase = "placed";
  state.orders.ticks[slot] = condition.limitTicks;
  state.orders.updatedAt[wordOf(slot)] = state.at;
  enterBook(state, slot);
  touchOrder(state, slot);
}

function isCrossing({ orders }: EngineState, { slot, limitTicks }: Condition, pair: Pair): boolean {
  const side = orders.side[slot] as number;
  const first = firstOrder(oppositeOf(pair.book, side));
  return first !== NONE && !isBeyond({ side, limitTicks }, orders.ticks[first] as number);
}

function needOf(state: EngineState, condition: Condition, pair: Pair): bigint | CancelReason {
  return condition.type === "market" ? marketNeed(state, condition, pair) : limitOrTriggerNeed(state, condition, pair);
}

function limitOrTriggerNeed({ orders }: EngineState, condition: Condition, pair: Pair): bigint {
  const { slot, type, limitTicks: ticks, quoteAmount, stopTicks, trailingBps } = condition;
  const lots = orders.lots[wordOf(slot)] as number;
  const side = orders.side[slot] === BUY ? "buy" : "sell";
  const conditions = { stopTicks, trailingBps, expiresAt: 0, targetProfitPpm: 0, stopLossPpm: 0 };
  return triggerReserve({ type, side, ticks, lots, quoteAmount, conditions }, pair);
}

/** Exactly what it will pay, or why it would pay nothing. */
function marketNeed(
  state: EngineState,
  { slot, selfTrade, quoteAmount }: Condition,
  pair: Pair,
): bigint | CancelReason {
  const { orders, bounds } = state;
  const side = orders.side[slot] as number;
  const { lots, value, stop } = previewSweep(state, {
    ...{ pair, side, selfTrade, quoteAmount },
    userIndex: selfTrade === "none" ? NONE : (orders.user[slot] as number),
    limitTicks: marketLimitTicks(pair, side),
    lots: lotsWanted(orders.lots[wordOf(slot)] as number),
    fillsMax: bounds.fillsMax,
    preventedLots: 0,
    preventedValue: 0n,
  });
  const hasEffect = lots > 0 || (stop === "selfTrade" && (selfTrade === "cancelBoth" || selfTrade === "decrement"));
  if (!hasEffect) return WITHOUT_EFFECT[stop];
  return side === BUY ? value : quantityOf(pair, lots);
}

const WITHOUT_EFFECT: Readonly<Record<Stop, CancelReason>> = {
  "": "noLiquidity",
  book: "noLiquidity",
  limit: "priceBand",
  selfTrade: "selfTrade",
  tooManyFills: "noLiquidity",
  fundsSpent: "fundsSpent",
};
