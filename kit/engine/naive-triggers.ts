import type { OrderConditions, PlaceOrder } from "../../origin/engine/command.ts";
import type { RejectCode } from "../../origin/engine/outcome.ts";
import type { OrderType } from "../../origin/engine/terms.ts";
import { isAlive, MOST, PRICE_MOST, quantity, turnOf, worth } from "./naive-parts.ts";
import type { NaiveConditions, NaiveOrder, NaivePair, NaiveVenue } from "./naive-venue.ts";

export const isTrigger = (type: OrderType) => type !== "limit" && type !== "market";
export const isLimit = (type: OrderType) => type === "limit" || type === "stopLimit" || type === "takeProfitLimit";

/** Whether the price must rise to a trigger. */
function risesTo({ type, side }: Pick<PlaceOrder, "type" | "side">): boolean {
  if (type === "stop" || type === "stopLimit") return side === "buy";
  return side === "sell";
}

/** Whether a price has come back so far from the best one, as a fraction: nothing is rounded. */
function hasComeBack(order: NaiveOrder, { extremeTicks, trailingBps }: NaiveConditions, price: number): boolean {
  const [best, now, distance] = [BigInt(extremeTicks), BigInt(price), BigInt(trailingBps)];
  return order.side === "buy"
    ? now * 10_000n >= best * (10_000n + distance)
    : now * 10_000n <= best * (10_000n - distance);
}

/** The price by which it is nearer or further than others. */
function priceOf({ side, conditions }: NaiveOrder): number {
  if (!conditions) return 0;
  const { phase, stopTicks, extremeTicks, trailingBps } = conditions;
  if (phase !== "reached") return stopTicks;
  const exact = extremeTicks * (side === "buy" ? 10_000 + trailingBps : 10_000 - trailingBps);
  return side === "buy" ? Math.ceil(exact / 10_000) : Math.floor(exact / 10_000);
}

/** A price was traded at: trailing orders follow it, and every trigger that it reaches is queued. */
export function reachPrice(venue: NaiveVenue, pair: NaivePair, price: number): void {
  const waiting = venue.orders.filter((order) => order.pair === pair.terms.pair && isAlive(order) && order.conditions);
  const tracking = waiting.filter((order) => order.status === "pending" && order.conditions?.phase === "tracking");
  for (const order of tracking.sort((a, b) => a.id - b.id)) follow(venue, order, price);
  for (const rises of [true, false]) {
    const reached = waiting
      .filter((order) => isWaiting(order) && directionOf(order) === rises && !isQueued(venue, order))
      .filter((order) => (rises ? price >= priceOf(order) : price <= priceOf(order)))
      .sort((a, b) => (rises ? priceOf(a) - priceOf(b) : priceOf(b) - priceOf(a)) || turnOf(a) - turnOf(b))
      .map((order) => ({ order, priority: turnOf(order) }));
    if (reached.length > 0) venue.work.push({ pair: pair.terms.pair, reached });
  }
}

const isWaiting = ({ status, conditions }: NaiveOrder) =>
  status === "pending" && (conditions?.phase === "waiting" || conditions?.phase === "reached");

const directionOf = (order: NaiveOrder) =>
  order.conditions?.phase === "reached" ? order.side === "buy" : risesTo(order);

const isQueued = (venue: NaiveVenue, order: NaiveOrder) =>
  venue.work.some(
    (item) => "reached" in item && item.reached.some((one) => one.order === order && one.priority === turnOf(order)),
  );

function follow(venue: NaiveVenue, order: NaiveOrder, price: number): void {
  const { conditions } = order;
  if (!conditions) return;
  const isBetter = order.side === "buy" ? price < conditions.extremeTicks : price > conditions.extremeTicks;
  if (isBetter) conditions.extremeTicks = price;
  else if (hasComeBack(order, conditions, price)) {
    conditions.phase = "reached";
    conditions.priority = venue.nextNumber++;
  }
}

/** Is it at its price already? */
export function isBehind(
  { lastTicks }: NaivePair,
  order: Pick<PlaceOrder, "type" | "side">,
  stopTicks: number,
): boolean {
  return lastTicks !== 0 && (risesTo(order) ? lastTicks >= stopTicks : lastTicks <= stopTicks);
}

/** It begins to wait; with a number of its own if it does not wait from its placement on. */
export function beginWaiting(
  venue: NaiveVenue,
  pair: NaivePair,
  { order, isLate }: { order: NaiveOrder; isLate: boolean },
) {
  const { conditions } = order;
  if (!conditions) return;
  if (isLate) conditions.priority = venue.nextNumber++;
  const isReached = isBehind(pair, order, conditions.stopTicks);
  if (conditions.trailingBps > 0 && (conditions.stopTicks === 0 || isReached)) {
    conditions.phase = "tracking";
    conditions.extremeTicks = pair.lastTicks;
    return;
  }
  conditions.phase = "waiting";
  if (isLate && isReached) reachPrice(venue, pair, pair.lastTicks);
}

type Sized = Pick<PlaceOrder, "type" | "side" | "ticks" | "lots" | "quoteAmount"> & {
  readonly conditions?: Pick<OrderConditions, "stopTicks" | "trailingBps"> | undefined;
};

/** The price at which it is expected to trigger. */
function expected({ side, conditions }: Sized, { lastTicks }: NaivePair): number {
  const from = conditions?.stopTicks || lastTicks;
  const bps = conditions?.trailingBps ?? 0;
  if (bps === 0) return from;
  const level =
    side === "buy" ? Math.ceil((from * (10_000 + bps)) / 10_000) : Math.floor((from * (10_000 - bps)) / 10_000);
  return Math.min(PRICE_MOST, Math.max(1, level));
}

/** In the currency that it pays. */
export function reserveOf(venue: NaiveVenue, pair: NaivePair, order: Sized): bigint {
  const { type, side, ticks, lots, quoteAmount } = order;
  if (side === "sell" && lots > 0) return quantity(pair, lots);
  if (isLimit(type)) return worth(venue, pair, { ticks, lots });
  if (side === "buy" && quoteAmount > 0n) return quoteAmount;
  const at = expected(order, pair);
  const margin = Math.floor((at * (pair.terms.bandPpm || 50_000)) / 1_000_000);
  if (side === "buy") return worth(venue, pair, { ticks: Math.min(PRICE_MOST, at + margin), lots });
  const each = worth(venue, pair, { ticks: Math.max(1, at - margin), lots: 1 });
  const needed = quoteAmount % each === 0n ? quoteAmount / each : quoteAmount / each + 1n;
  return needed * pair.terms.lotSteps;
}

export function sizeFault(venue: NaiveVenue, pair: NaivePair, order: Sized): RejectCode | undefined {
  const { type, ticks, lots, quoteAmount, conditions } = order;
  if (ticks > PRICE_MOST || (conditions?.stopTicks ?? 0) > PRICE_MOST || quantity(pair, lots) > MOST)
    return "value_too_large";
  const at = isLimit(type) ? ticks : expected(order, pair);
  const value = lots > 0 ? worth(venue, pair, { ticks: at, lots }) : quoteAmount;
  if (value > MOST || reserveOf(venue, pair, order) > MOST) return "value_too_large";
  return value < pair.terms.valueStepsMin ? "value_below_minimum" : undefined;
}

/** Why conditions contradict the order or themselves. */
export function conditionsFault(order: PlaceOrder, at: number): RejectCode | undefined {
  const { type, ticks, lots, quoteAmount, timeInForce, postOnly, openOrdersMax, conditions } = order;
  if (!conditions) return "command_invalid";
  const { stopTicks, trailingBps, expiresAt, targetProfitPpm, stopLossPpm } = conditions;
  const areWhole = [ticks, lots, openOrdersMax, stopTicks].every(
    (number) => Number.isSafeInteger(number) && number >= 0,
  );
  const others = [trailingBps, expiresAt, targetProfitPpm, stopLossPpm].every((number) => Number.isSafeInteger(number));
  if (!(areWhole && others && quoteAmount >= 0n)) return "command_invalid";
  const fault = triggerTermsFault(order, conditions) ?? expiryFault(order, conditions, at);
  if (fault) return fault;
  if (!arePercentagesGood(order, conditions)) return "percentage_invalid";
  return isShaped({ type, ticks, lots, quoteAmount, timeInForce, postOnly }) ? undefined : "command_invalid";
}

function triggerTermsFault({ type }: PlaceOrder, { stopTicks, trailingBps }: OrderConditions): RejectCode | undefined {
  if (trailingBps !== 0 && (!isTrigger(type) || trailingBps < 0 || trailingBps > 5_000)) return "trailing_invalid";
  if (isTrigger(type)) return stopTicks === 0 && trailingBps === 0 ? "trigger_price_missing" : undefined;
  return stopTicks === 0 ? undefined : "command_invalid";
}

function expiryFault({ type, timeInForce }: PlaceOrder, { expiresAt }: OrderConditions, at: number) {
  if (timeInForce !== "GTD") return expiresAt === 0 ? undefined : "expiry_invalid";
  const isGood = type !== "market" && expiresAt > at && expiresAt <= at + 366 * 86_400_000;
  return isGood ? undefined : "expiry_invalid";
}

function arePercentagesGood({ type, side }: PlaceOrder, { targetProfitPpm, stopLossPpm }: OrderConditions): boolean {
  if (targetProfitPpm === 0 && stopLossPpm === 0) return true;
  const areInRange =
    targetProfitPpm >= 0 && targetProfitPpm <= 10_000_000 && stopLossPpm >= 0 && stopLossPpm < 1_000_000;
  return areInRange && side === "buy" && !isTrigger(type);
}

export function isShaped({ type, ticks, lots, quoteAmount, timeInForce, postOnly }: Shape): boolean {
  const rests = timeInForce === "GTC" || timeInForce === "GTD";
  if (postOnly && !(type === "limit" && rests)) return false;
  if (isLimit(type)) return ticks !== 0 && lots !== 0 && quoteAmount === 0n;
  return ticks === 0 && (lots === 0 ? quoteAmount !== 0n : quoteAmount === 0n);
}

type Shape = Pick<PlaceOrder, "type" | "ticks" | "lots" | "quoteAmount" | "timeInForce" | "postOnly">;
