import type { User } from "./accounts.ts";
import type { PlaceOrder } from "./command.ts";
import { bandTicks, quantityOf, valueAt } from "./exact.ts";
import { LOTS_MAX, STEPS_MAX, TICKS_MAX } from "./limits.ts";
import type { Sweep } from "./match.ts";
import { hasNamedAll } from "./names/references.ts";
import type { RejectCode } from "./outcome.ts";
import type { Pair } from "./pairs.ts";
import type { EngineState } from "./state.ts";

/** An order on its way into the book: a single object, because one is made for every order. */
export type Placing = Sweep & {
  readonly command: PlaceOrder;
  readonly user: User | undefined;
  /** The amount to freeze before the order may trade. */
  reserve: bigint;
};

/** The first reason to reject an order that does not depend on the book. */
export function orderFault(state: EngineState, { command, pair, user }: Placing): RejectCode | undefined {
  if (command.grid !== pair.grid) return "pair_changed";
  if (pair.terms.state === "halted") return "pair_halted";
  if (user?.isFrozen === true) return "user_frozen";
  return limitFault(state, { command, pair, user });
}

/** Its value, its price, and the room for it. */
export function limitFault(
  state: EngineState,
  { command, pair, user }: Pick<Placing, "command" | "pair" | "user">,
): RejectCode | undefined {
  return valueFault(command, pair) ?? bandFault(command, pair) ?? roomFault(state, command, user);
}

/** Whether its fields are consistent. */
export function isWellFormed(order: PlaceOrder): boolean {
  const { type, ticks, lots, quoteAmount, timeInForce, postOnly, openOrdersMax } = order;
  if (!(isWholeUpTo(ticks, Number.MAX_SAFE_INTEGER) && isWholeUpTo(lots, LOTS_MAX) && quoteAmount >= 0n)) return false;
  if (!isWholeUpTo(openOrdersMax, Number.MAX_SAFE_INTEGER)) return false;
  if (postOnly && (type !== "limit" || timeInForce !== "GTC")) return false;
  if (type === "limit") return ticks > 0 && lots > 0 && quoteAmount === 0n;
  return ticks === 0 && lots > 0 !== quoteAmount > 0n;
}

/** The worst price at which an order may trade: its own, or the edge of the band for a market order. */
export function limitTicksOf({ type, side, ticks }: PlaceOrder, pair: Pair): number {
  if (type === "limit") return ticks;
  return side === "buy" ? highestTicks(pair) : lowestTicks(pair);
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

export function highestTicks({ lastTicks, terms: { bandPpm } }: Pair): number {
  return lastTicks === 0 || bandPpm === 0
    ? TICKS_MAX
    : Math.min(TICKS_MAX, lastTicks + bandTicks({ lastTicks, bandPpm }));
}

export function lowestTicks({ lastTicks, terms: { bandPpm } }: Pair): number {
  return lastTicks === 0 || bandPpm === 0 ? 1 : Math.max(1, lastTicks - bandTicks({ lastTicks, bandPpm }));
}

/** Only an order that can rest needs a free slot. */
export function roomFault(
  state: EngineState,
  { type, timeInForce, clientOrderId, openOrdersMax }: PlaceOrder,
  user: User | undefined,
) {
  if (type === "limit" && timeInForce === "GTC") {
    if ((user?.openOrders ?? 0) >= openOrdersMax) return "open_orders_limit";
    if (state.openOrders >= state.bounds.openOrdersMax) return "engine_full";
  }
  return clientOrderId !== "" && user !== undefined && hasNamedAll(state, user) ? "engine_full" : undefined;
}

function isWholeUpTo(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}
