import type { User } from "./accounts.ts";
import { BUY, SELL } from "./book/order-slab.ts";
import type { OrderConditions, PlaceOrder } from "./command.ts";
import { isLimitType } from "./conditions/condition.ts";
import { bandTicks, quantityOf, valueAt } from "./exact.ts";
import { LOTS_MAX, STEPS_MAX, TICKS_MAX } from "./limits.ts";
import type { Sweep } from "./match.ts";
import { hasNamedAll } from "./names/references.ts";
import type { RejectCode } from "./outcome.ts";
import type { Pair } from "./pairs.ts";
import type { EngineState } from "./state.ts";
import type { TimeInForce } from "./terms.ts";

/** An order on its way into the book: a single object, because one is made for every order. */
export type Placing = Sweep & {
  readonly command: PlaceOrder;
  readonly user: User | undefined;
  /** The amount to freeze before the order may trade. */
  reserve: bigint;
};

/** The first reason to reject an order that does not depend on the book. */
export function orderFault(state: EngineState, { command, pair, user }: Placing): RejectCode | undefined {
  return tradingFault(command, { pair, user }) ?? limitFault(state, { command, pair, user });
}

/** Its value, its price, and the room for it. */
export function limitFault(
  state: EngineState,
  { command, pair, user }: Pick<Placing, "command" | "pair" | "user">,
): RejectCode | undefined {
  return valueFault(command, pair) ?? bandFault(command, pair) ?? roomFault(state, command, user);
}

type Parties = { readonly pair: Pair; readonly user: User | undefined };

/** The reason why no user, or not this one, can place an order now. */
export function tradingFault({ grid }: { readonly grid: number }, { pair, user }: Parties): RejectCode | undefined {
  if (grid !== pair.grid) return "pair_changed";
  if (pair.terms.state === "halted") return "pair_halted";
  return user?.isFrozen === true ? "user_frozen" : undefined;
}

/** Whether the fields of an order without conditions are consistent. */
export function isWellFormed(order: PlaceOrder): boolean {
  if (order.timeInForce === "GTD" || !(order.type === "limit" || order.type === "market")) return false;
  return areNumbersSound(order) && isShapeSound(order);
}

export function areNumbersSound({ ticks, lots, quoteAmount, openOrdersMax }: PlaceOrder): boolean {
  if (!(isWholeUpTo(ticks, Number.MAX_SAFE_INTEGER) && isWholeUpTo(lots, LOTS_MAX) && quoteAmount >= 0n)) return false;
  return isWholeUpTo(openOrdersMax, Number.MAX_SAFE_INTEGER);
}

/** A limit order has a price and lots, any other lots or a quote amount. Only an order that can rest is post-only. */
export function isShapeSound({ type, ticks, lots, quoteAmount, timeInForce, postOnly }: PlaceOrder): boolean {
  if (postOnly && (type !== "limit" || !restsFor(timeInForce))) return false;
  if (isLimitType(type)) return ticks > 0 && lots > 0 && quoteAmount === 0n;
  return ticks === 0 && lots > 0 !== quoteAmount > 0n;
}

export const restsFor = (timeInForce: TimeInForce): boolean => timeInForce === "GTC" || timeInForce === "GTD";

/** The worst price at which an order may trade: its own, or the edge of the band for a market order. */
export function limitTicksOf({ type, side, ticks }: PlaceOrder, pair: Pair): number {
  if (type === "limit") return ticks;
  return marketLimitTicks(pair, side === "buy" ? BUY : SELL);
}

export function marketLimitTicks(pair: Pair, side: number): number {
  return side === BUY ? highestTicks(pair) : lowestTicks(pair);
}

/** By its own price, or by its quote amount. A market order by lots has a value only together with the book. */
function valueFault({ type, ticks, lots, quoteAmount }: PlaceOrder, pair: Pair): RejectCode | undefined {
  // Nearly all values are far from the bounds, so that doubles decide.
  const product = ticks * lots * pair.unit;
  if (
    type === "limit" &&
    ticks <= TICKS_MAX &&
    product <= Number.MAX_SAFE_INTEGER &&
    lots * pair.lot <= Number.MAX_SAFE_INTEGER
  ) {
    return product < pair.valueMin ? "value_below_minimum" : undefined;
  }
  if (ticks > TICKS_MAX || quantityOf(pair, lots) > STEPS_MAX) return "value_too_large";
  if (type === "market" && lots > 0) return undefined;
  const value = type === "limit" ? valueAt(pair, { ticks, lots }) : quoteAmount;
  if (value > STEPS_MAX) return "value_too_large";
  return value < pair.terms.valueStepsMin ? "value_below_minimum" : undefined;
}

/** A price on the safe side does no harm; one that is bad for its owner may be a mistake. */
function bandFault({ type, side, ticks }: PlaceOrder, pair: Pair): RejectCode | undefined {
  if (type === "market") return undefined;
  const isOutside = side === "buy" ? ticks > highestTicks(pair) : ticks < lowestTicks(pair);
  return isOutside ? "price_outside_band" : undefined;
}

export function isOutsideBand(pair: Pair, { side, ticks }: { readonly side: number; readonly ticks: number }): boolean {
  return side === BUY ? ticks > highestTicks(pair) : ticks < lowestTicks(pair);
}

export function highestTicks({ lastTicks, terms: { bandPpm } }: Pair): number {
  return lastTicks === 0 || bandPpm === 0
    ? TICKS_MAX
    : Math.min(TICKS_MAX, lastTicks + bandTicks({ lastTicks, bandPpm }));
}

export function lowestTicks({ lastTicks, terms: { bandPpm } }: Pair): number {
  return lastTicks === 0 || bandPpm === 0 ? 1 : Math.max(1, lastTicks - bandTicks({ lastTicks, bandPpm }));
}

/** Only an order that can rest needs a free slot, and the sell orders that follow it do. */
export function roomFault(state: EngineState, command: PlaceOrder, user: User | undefined) {
  const { type, timeInForce, clientOrderId, openOrdersMax, conditions } = command;
  const own = type === "limit" && restsFor(timeInForce) ? 1 : 0;
  // Nearly all orders are plain, and far from every bound.
  const isFree = (user?.openOrders ?? 0) < openOrdersMax && state.openOrders < state.bounds.openOrdersMax;
  if (conditions === undefined && clientOrderId === "" && isFree) return undefined;
  const orders = conditions === undefined ? own : own + exitOrdersOf(conditions);
  return roomFor(state, { user, orders, openOrdersMax, names: clientOrderId === "" ? 0 : 1 });
}

export function exitOrdersOf({ targetProfitPpm, stopLossPpm }: OrderConditions): number {
  return (targetProfitPpm === 0 ? 0 : 1) + (stopLossPpm === 0 ? 0 : 1);
}

type Room = {
  readonly user: User | undefined;
  readonly orders: number;
  readonly openOrdersMax: number;
  readonly names: number;
};

export function roomFor(state: EngineState, { user, orders, openOrdersMax, names }: Room): RejectCode | undefined {
  if (orders > 0) {
    if ((user?.openOrders ?? 0) + orders > openOrdersMax) return "open_orders_limit";
    if (state.openOrders + orders > state.bounds.openOrdersMax) return "engine_full";
  }
  return names > 0 && user !== undefined && hasNamedAll(state, user, names) ? "engine_full" : undefined;
}

export function isWholeUpTo(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}
