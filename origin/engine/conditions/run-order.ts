import { endOrder, enterBook, isShared, pairOf, release, reservationOf, unlistOrder } from "../book/open-orders.ts";
import { BUY, wordOf } from "../book/order-slab.ts";
import { touchOrder } from "../change-log.ts";
import { isOutsideBand, marketLimitTicks } from "../check-order.ts";
import { quantityOf } from "../exact.ts";
import { LOTS_MAX } from "../limits.ts";
import { matchOrder, noteShrunk, previewSweep, type Stop, type Sweep } from "../match.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import type { CancelReason, OrderStatus } from "../terms.ts";
import { type Condition, isLimitType } from "./condition.ts";
import { endOthers } from "./end-list.ts";
import { touchList } from "./list.ts";
import { nextInBook, reachAfterSweep } from "./triggers.ts";

/**
 * Runs an order whose moment has come: it is out of its place, and `reserve` is frozen for it. It trades as a new order
 * would; what is left goes to the book or ends. Unlike a new order it cannot be rejected: it fails.
 */
export function runOrder(state: EngineState, condition: Condition, reserve: bigint): void {
  const { slot } = condition;
  const pair = pairOf(state, slot);
  condition.phase = "placed";
  condition.reserved = 0n;
  state.orders.ticks[slot] = condition.limitTicks;
  state.orders.updatedAt[wordOf(slot)] = state.at;
  const sweep = sweepOf(state, { condition, pair, reserve });
  const fault = faultBefore(state, { condition, pair, sweep });
  if (fault !== "") {
    release(state.accounts, state.orders.pays[slot] as number, reserve);
    end(state, { condition, reason: fault });
    return;
  }
  const before = state.log.trades.length;
  const stop = matchOrder(state, sweep, slot);
  state.workLeft -= state.log.trades.length - before;
  const firstTicks = state.log.trades[before]?.ticks ?? 0;
  finish(state, { condition, pair, sweep, reserve, stop });
  if (firstTicks !== 0) reachAfterSweep(state, pair, firstTicks);
}

/**
 * One of two was triggered, or trades when its list places it: the other one ends. Returns the funds that were kept for
 * both.
 */
export function takeReserve(state: EngineState, condition: Condition): bigint {
  const { list, reserved } = condition;
  if (list === undefined || !isShared(condition)) return reserved;
  endOthers(state, list, condition.slot);
  const shared = list.reserved;
  list.reserved = 0n;
  touchList(state, list);
  return shared;
}

type Running = { readonly condition: Condition; readonly pair: Pair };

/** An order by lots buys no more than its reserve pays for; one by quote amount sells no more than its reserve. */
function sweepOf(
  { orders, bounds }: EngineState,
  { condition, pair, reserve }: Running & { readonly reserve: bigint },
): Sweep {
  const { slot, type, selfTrade, quoteAmount, limitTicks } = condition;
  const side = orders.side[slot] as number;
  const lots = orders.lots[wordOf(slot)] as number;
  const isMarket = !isLimitType(type);
  const isBuy = side === BUY;
  return {
    pair,
    side,
    userIndex: selfTrade === "none" ? NO_USER : (orders.user[slot] as number),
    selfTrade,
    limitTicks: isMarket ? marketLimitTicks(pair, side) : limitTicks,
    lots: lots > 0 ? lots : isBuy ? LOTS_MAX : Math.min(LOTS_MAX, Number(reserve / pair.lotSteps)),
    quoteAmount: isMarket && type !== "market" && isBuy && lots > 0 ? reserve : quoteAmount,
    fillsMax: bounds.fillsMax,
    preventedLots: 0,
    preventedValue: 0n,
  };
}

const NO_USER = -1;

/** Why it cannot even try; empty if it can. */
function faultBefore(
  state: EngineState,
  { condition, pair, sweep }: Running & { readonly sweep: Sweep },
): CancelReason {
  const { type, timeInForce, limitTicks } = condition;
  if (isLimitType(type) && isOutsideBand(pair, { side: sweep.side, ticks: limitTicks })) return "priceBand";
  if (timeInForce !== "FOK") return "";
  const { stop, lots, value } = previewSweep(state, sweep);
  return isFilled(condition, { stop, lots: { wanted: lotsOf(state, condition), filled: lots }, value })
    ? ""
    : "fillOrKill";
}

const lotsOf = ({ orders }: EngineState, { slot }: Condition) => orders.lots[wordOf(slot)] as number;

type Filled = {
  readonly stop: Stop;
  readonly lots: { readonly wanted: number; readonly filled: number };
  readonly value: bigint;
};

/** Not by its stop only: the reserve may have ended the sweep. */
function isFilled({ quoteAmount }: Condition, { stop, lots, value }: Filled): boolean {
  if (lots.wanted > 0) return lots.filled === lots.wanted;
  return value === quoteAmount || stop === "fundsSpent";
}

type Ran = Running & { readonly sweep: Sweep; readonly reserve: bigint; readonly stop: Stop };

function finish(state: EngineState, { condition, pair, sweep, reserve, stop }: Ran): void {
  const { orders } = state;
  const { slot, type, timeInForce } = condition;
  const isOpenEnded = timeInForce === "GTC" || timeInForce === "GTD";
  const rests = isLimitType(type) && isOpenEnded && (stop === "book" || stop === "limit");
  const filledLots = orders.filledLots[wordOf(slot)] as number;
  const filledValue = orders.filledValue[wordOf(slot)] as bigint;
  if (sweep.preventedLots > 0) prevent(state, { condition, sweep, rests });
  const paid = sweep.side === BUY ? filledValue : quantityOf(pair, filledLots);
  const released = reserve - paid - (rests ? reservationOf(state, slot) : 0n);
  if (released !== 0n) release(state.accounts, orders.pays[slot] as number, released);
  if (rests) {
    condition.priority = nextInBook(state, pair);
    enterBook(state, slot);
    touchOrder(state, slot);
    return;
  }
  const filled = isFilled(condition, {
    stop,
    lots: { wanted: lotsOf(state, condition), filled: filledLots },
    value: filledValue,
  });
  end(state, { condition, reason: filled ? (stop === "fundsSpent" ? stop : "") : reasonOf(condition, stop) });
}

/** An order that rests has fewer lots from now on; of one that ends it is only noted. */
function prevent(
  state: EngineState,
  { condition, sweep, rests }: { readonly condition: Condition; readonly sweep: Sweep; readonly rests: boolean },
): void {
  if (rests) noteShrunk(state, { slot: condition.slot, lots: sweep.preventedLots });
  else condition.preventedLots += sweep.preventedLots;
}

function reasonOf({ type }: Condition, stop: Stop): CancelReason {
  if (stop === "" || stop === "fundsSpent") return "reserveSpent";
  if (stop !== "book" && stop !== "limit") return stop;
  if (isLimitType(type)) return "immediateOrCancel";
  return stop === "book" ? "noLiquidity" : "priceBand";
}

/** It is in no book and in no ladder. */
export function end(
  state: EngineState,
  { condition, reason }: { readonly condition: Condition; readonly reason: CancelReason },
): void {
  const { slot } = condition;
  const hasTraded = (state.orders.filledLots[wordOf(slot)] as number) > 0;
  state.orders.updatedAt[wordOf(slot)] = state.at;
  unlistOrder(state, slot);
  endOrder(state, { slot, kind: condition, status: statusOf(condition, { reason, hasTraded }), cancelReason: reason });
}

function statusOf(
  { buyOrderId, role }: Condition,
  { reason, hasTraded }: { readonly reason: CancelReason; readonly hasTraded: boolean },
): OrderStatus {
  if (hasTraded && buyOrderId !== 0 && role === "below") return "stopped";
  if (reason === "" || reason === "fundsSpent") return "filled";
  return hasTraded ? "cancelled" : "failed";
}
