import { BUY, SELL } from "../book/order-slab.ts";
import { areNumbersSound, isShapeSound, isWholeUpTo } from "../check-order.ts";
import type { OrderConditions, PlaceOrder } from "../command.ts";
import { bandTicks, quantityOf, valueAt } from "../exact.ts";
import {
  EXPIRY_MS_MAX,
  MARKET_MARGIN_PPM,
  PPM,
  STEPS_MAX,
  TARGET_PROFIT_PPM_MAX,
  TICKS_MAX,
  TRAILING_BPS_MAX,
} from "../limits.ts";
import type { RejectCode } from "../outcome.ts";
import type { Pair } from "../pairs.ts";
import type { OrderType, TriggerType } from "../terms.ts";
import { isLimitType } from "./condition.ts";
import { levelOf } from "./trailing.ts";
import { isReached, isRising } from "./triggers.ts";

export const isTriggerType = (type: OrderType): type is TriggerType => type !== "limit" && type !== "market";

/** Why an order with conditions contradicts itself, whatever the pair's state. */
export function conditionsFault(order: PlaceOrder, at: number): RejectCode | undefined {
  const { type, conditions } = order;
  if (conditions === undefined) return "command_invalid";
  const { stopTicks, trailingBps, expiresAt, targetProfitPpm, stopLossPpm } = conditions;
  const numbers = [stopTicks, trailingBps, expiresAt, targetProfitPpm, stopLossPpm];
  if (!(areNumbersSound(order) && numbers.every((number) => Number.isSafeInteger(number)) && stopTicks >= 0))
    return "command_invalid";
  const isTrigger = isTriggerType(type);
  if (trailingBps !== 0 && !(isTrigger && isWholeUpTo(trailingBps, TRAILING_BPS_MAX))) return "trailing_invalid";
  if (isTrigger && stopTicks === 0 && trailingBps === 0) return "trigger_price_missing";
  if (!isTrigger && stopTicks !== 0) return "command_invalid";
  const fault = expiryFault(order, { conditions, at }) ?? percentageFault(order, conditions);
  if (fault !== undefined) return fault;
  return isShapeSound(order) ? undefined : "command_invalid";
}

function expiryFault(
  { type, timeInForce }: PlaceOrder,
  { conditions: { expiresAt }, at }: { readonly conditions: OrderConditions; readonly at: number },
): RejectCode | undefined {
  if (timeInForce !== "GTD") return expiresAt === 0 ? undefined : "expiry_invalid";
  return type === "market" || expiresAt <= at || expiresAt > at + EXPIRY_MS_MAX ? "expiry_invalid" : undefined;
}

function percentageFault({ side, type }: PlaceOrder, conditions: OrderConditions): RejectCode | undefined {
  const { targetProfitPpm, stopLossPpm } = conditions;
  if (targetProfitPpm === 0 && stopLossPpm === 0) return undefined;
  const isSound =
    isWholeUpTo(targetProfitPpm, TARGET_PROFIT_PPM_MAX) && isWholeUpTo(stopLossPpm, PPM - 1) && side === "buy";
  return isSound && !isTriggerType(type) ? undefined : "percentage_invalid";
}

/** Why the last price does not allow the trigger. */
export function triggerFault(
  { type, side, conditions }: Pick<PlaceOrder, "type" | "side" | "conditions">,
  { lastTicks }: Pair,
): RejectCode | undefined {
  const { stopTicks = 0, trailingBps = 0 } = conditions ?? {};
  if (trailingBps > 0) return stopTicks === 0 && lastTicks === 0 ? "trigger_price_missing" : undefined;
  const rises = isRising({ type, phase: "waiting" }, sideOf(side));
  return isReached({ isRising: rises, stopTicks, lastTicks }) ? "would_trigger_immediately" : undefined;
}

type Sized = Pick<PlaceOrder, "type" | "side" | "ticks" | "lots" | "quoteAmount"> & {
  readonly conditions?: OrderConditions | undefined;
};

export function triggerValueFault(order: Sized, pair: Pair): RejectCode | undefined {
  const { type, ticks, lots, quoteAmount, conditions } = order;
  const isTooFar = ticks > TICKS_MAX || (conditions?.stopTicks ?? 0) > TICKS_MAX;
  if (isTooFar || quantityOf(pair, lots) > STEPS_MAX) return "value_too_large";
  const atTicks = isLimitType(type) ? ticks : basisTicks(order, pair);
  const value = lots > 0 ? valueAt(pair, { ticks: atTicks, lots }) : quoteAmount;
  if (value > STEPS_MAX || triggerReserve(order, pair) > STEPS_MAX) return "value_too_large";
  return value < pair.terms.valueStepsMin ? "value_below_minimum" : undefined;
}

/**
 * The amount that an order with a trigger keeps frozen, in the currency that it pays. An order that will trade at the
 * market and has no amount in that currency gets funds for a price that is worse than its trigger by the pair's band.
 */
export function triggerReserve(order: Sized, pair: Pair): bigint {
  const { type, side, ticks, lots, quoteAmount } = order;
  const isBuy = side === "buy";
  if (isLimitType(type)) return isBuy ? valueAt(pair, { ticks, lots }) : quantityOf(pair, lots);
  if (isBuy && lots === 0) return quoteAmount;
  if (!isBuy && lots > 0) return quantityOf(pair, lots);
  const basis = basisTicks(order, pair);
  const margin = bandTicks({ lastTicks: basis, bandPpm: pair.terms.bandPpm || MARKET_MARGIN_PPM });
  if (isBuy) return valueAt(pair, { ticks: Math.min(TICKS_MAX, basis + margin), lots });
  const lotValue = valueAt(pair, { ticks: Math.max(1, basis - margin), lots: 1 });
  return ((quoteAmount + lotValue - 1n) / lotValue) * pair.lotSteps;
}

/** The price at which it is expected to trigger: of a trailing order, if the price came back at once. */
function basisTicks({ side, conditions }: Sized, { lastTicks }: Pair): number {
  const { stopTicks = 0, trailingBps = 0 } = conditions ?? {};
  const extremeTicks = stopTicks === 0 ? lastTicks : stopTicks;
  if (trailingBps === 0) return extremeTicks;
  return Math.min(TICKS_MAX, Math.max(1, levelOf({ trailingBps, extremeTicks }, sideOf(side))));
}

const sideOf = (side: PlaceOrder["side"]) => (side === "buy" ? BUY : SELL);
