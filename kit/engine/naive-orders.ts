import type { ListOrder, PlaceOrder } from "../../origin/engine/command.ts";
import type { Outcome, RejectCode } from "../../origin/engine/outcome.ts";
import { addConditions } from "./naive-conditions.ts";
import { addExitOrders, beginExit } from "./naive-exit.ts";
import {
  available,
  copyOf,
  freeze,
  hasUsedUpNames,
  isAlive,
  MOST,
  need,
  no,
  PRICE_MOST,
  quantity,
  said,
  worth,
} from "./naive-parts.ts";
import { placeInAuction } from "./naive-place-in-auction.ts";
import { placeTrigger } from "./naive-place-trigger.ts";
import { isOutsideBand, isTooFar, othersInTurn, type Plan, planOf } from "./naive-plan.ts";
import { reachTraded, tradeSteps } from "./naive-trades.ts";
import { conditionsFault, isShaped, isTrigger } from "./naive-triggers.ts";
import type { NaiveOrder, NaivePair, NaiveVenue } from "./naive-venue.ts";

/** First the whole plan is made, then it is judged, and only then it is executed. */
export function naivePlace(venue: NaiveVenue, command: PlaceOrder): Outcome {
  const malformed = malformation(venue, command);
  if (malformed) return no(malformed);
  const content = contentOf(command);
  if (command.clientOrderId !== "") {
    const { user, clientOrderId } = command;
    const before = said(venue, { kind: "order", user, name: clientOrderId });
    if (before)
      return before.content === content
        ? { kind: "repetition", orderId: before.orderId }
        : no("client_order_id_reused");
    const isInUse = venue.orders.some(
      (order) => order.user === user && order.clientOrderId === clientOrderId && isAlive(order),
    );
    if (isInUse) return no("client_order_id_reused");
  }
  const pair = venue.pairs.find(({ terms }) => terms.pair === command.pair);
  if (!pair) return no("pair_unknown");
  if (isTrigger(command.type)) return placeTrigger(venue, pair, { command, content });
  if (pair.terms.state === "auction") return placeInAuction(venue, pair, { command, content });
  const plan = planOf(venue, pair, command);
  const fault = faultOf(venue, pair, { command, plan });
  return fault ? no(fault) : carryOut(venue, pair, { command, plan, content });
}

/** Why it cannot be placed; nothing has changed. */
export function faultOf(venue: NaiveVenue, pair: NaivePair, planned: Planned): RejectCode | undefined {
  const { command } = planned;
  const fault = faultBefore(venue, pair, command) ?? faultInBook(venue, pair, planned);
  if (fault) return fault;
  const needed = neededFor(venue, pair, planned);
  return available(venue, command.user, needed.currency) < needed.amount ? "balance_insufficient" : undefined;
}

function malformation(venue: NaiveVenue, command: PlaceOrder): RejectCode | undefined {
  if (command.conditions) return conditionsFault(command, venue.at);
  return isSensible(command) ? undefined : "command_invalid";
}

type Given = { readonly command: PlaceOrder; readonly content: string };

export function isSensible(command: PlaceOrder): boolean {
  const { type, ticks, lots, quoteAmount, timeInForce, openOrdersMax } = command;
  if ([ticks, lots, openOrdersMax].some((number) => !Number.isSafeInteger(number) || number < 0) || quoteAmount < 0n)
    return false;
  return !isTrigger(type) && timeInForce !== "GTD" && isShaped(command);
}

export function contentOf(order: PlaceOrder): string {
  return [order.pair, order.grid, partOf(order)].join(" ");
}

export function partOf(order: ListOrder): string {
  const { side, type, ticks, lots, quoteAmount, timeInForce, postOnly, selfTrade, conditions } = order;
  const asked = conditions
    ? [
        conditions.stopTicks,
        conditions.trailingBps,
        conditions.expiresAt,
        conditions.targetProfitPpm,
        conditions.stopLossPpm,
      ]
    : [];
  return [side, type, ticks, lots, quoteAmount, timeInForce, postOnly, selfTrade, ...asked].join(" ");
}

function faultBefore(venue: NaiveVenue, pair: NaivePair, command: PlaceOrder): RejectCode | undefined {
  const { user, side, type, ticks, lots, quoteAmount } = command;
  if (command.grid !== pair.grid) return "pair_changed";
  if (pair.terms.state === "halted") return "pair_halted";
  if (venue.users.find(({ name }) => name === user)?.isFrozen) return "user_frozen";
  const value = type === "limit" ? worth(venue, pair, { ticks, lots }) : quoteAmount;
  if (ticks > PRICE_MOST || value > MOST || quantity(pair, lots) > MOST) return "value_too_large";
  if (value < pair.terms.valueStepsMin && !(type === "market" && lots > 0)) return "value_below_minimum";
  if (type === "limit" && isOutsideBand(pair, side, ticks)) return "price_outside_band";
  return noRoom(venue, command);
}

export function noRoom(venue: NaiveVenue, command: PlaceOrder): RejectCode | undefined {
  const { user, type, timeInForce, openOrdersMax, clientOrderId, conditions } = command;
  const rests = type === "limit" && (timeInForce === "GTC" || timeInForce === "GTD");
  const exits = [conditions?.targetProfitPpm ?? 0, conditions?.stopLossPpm ?? 0].filter((ppm) => ppm !== 0).length;
  const orders = (rests ? 1 : 0) + exits;
  return roomFor(venue, { user, orders, openOrdersMax, names: clientOrderId === "" ? 0 : 1 });
}

type Room = { readonly user: string; readonly orders: number; readonly openOrdersMax: number; readonly names: number };

export function roomFor(venue: NaiveVenue, { user, orders, openOrdersMax, names }: Room): RejectCode | undefined {
  const alive = venue.orders.filter(isAlive);
  const theirs = alive.filter((order) => order.user === user);
  if (orders > 0 && theirs.length + orders > openOrdersMax) return "open_orders_limit";
  if (orders > 0 && alive.length + orders > venue.bounds.openOrdersMax) return "engine_full";
  return names > 0 && hasUsedUpNames(venue, user, names) ? "engine_full" : undefined;
}

type Planned = { readonly command: PlaceOrder; readonly plan: Plan };

function faultInBook(venue: NaiveVenue, pair: NaivePair, planned: Planned): RejectCode | undefined {
  const { command, plan } = planned;
  const [first] = othersInTurn(venue, command);
  if (command.type === "market" && !first) return "no_liquidity";
  const value = worth(venue, pair, { ticks: first?.ticks ?? 0, lots: command.lots });
  if (command.type === "market" && command.lots > 0 && value < pair.terms.valueStepsMin) return "value_below_minimum";
  if (command.timeInForce === "FOK" && plan.end !== "complete" && plan.end !== "spent")
    return "fill_or_kill_unfillable";
  if (command.postOnly && first && !isTooFar(pair, command, first.ticks)) return "post_only_would_trade";
  const hasEffect =
    plan.lots > 0 || (plan.end === "self" && (command.selfTrade === "cancelBoth" || command.selfTrade === "decrement"));
  return hasEffect ? undefined : whyNothing(planned);
}

function whyNothing({ command, plan }: Planned): RejectCode | undefined {
  if (plan.end === "self") return "self_trade";
  if (command.type === "limit") return undefined;
  if (plan.end === "price") return "price_outside_band";
  return plan.end === "spent" ? "value_below_minimum" : "no_liquidity";
}

function neededFor(
  venue: NaiveVenue,
  pair: NaivePair,
  { command, plan }: Planned,
): { currency: string; amount: bigint } {
  const isExact = command.type === "market" || command.timeInForce === "FOK";
  if (command.side === "buy") {
    return { currency: pair.terms.quoteCurrency, amount: isExact ? plan.value : worth(venue, pair, command) };
  }
  return { currency: pair.terms.baseCurrency, amount: quantity(pair, isExact ? plan.lots : command.lots) };
}

/** The working order of a list comes with its number and its list; names are the list's then. */
export type InList = { readonly id: number; readonly join: (order: NaiveOrder) => void };

export function carryOut(
  venue: NaiveVenue,
  pair: NaivePair,
  { command, plan, content, inList }: Planned & { readonly content: string; readonly inList?: InList },
): Outcome & { kind: "order" } {
  const isFollowed = (command.conditions?.targetProfitPpm ?? 0) + (command.conditions?.stopLossPpm ?? 0) > 0;
  const listId = isFollowed ? venue.nextNumber++ : 0;
  const order = newOrder(venue, pair, { command, content, inList });
  if (command.conditions && !inList) addConditions(order, command);
  inList?.join(order);
  const exit = isFollowed ? beginExit(venue, { order, listId }) : undefined;
  const tradesBefore = venue.trades.length;
  tradeSteps(venue, pair, { order, plan });
  endOrRest(venue, { order, plan, command });
  const row = copyOf(order);
  if (exit) addExitOrders(venue, pair, { list: exit, order });
  const trades = venue.trades.slice(tradesBefore);
  venue.workLeft -= trades.length;
  reachTraded(venue, pair, tradesBefore);
  return { kind: "order", order: row, trades };
}

export function newOrder(
  venue: NaiveVenue,
  pair: NaivePair,
  { command, content, inList }: Given & { readonly inList?: Pick<InList, "id"> | undefined },
): NaiveOrder {
  const { user, side, type, ticks, lots, quoteAmount, timeInForce, postOnly, clientOrderId } = command;
  const times = { createdAt: venue.at, updatedAt: venue.at };
  const fresh = {
    filledLots: 0,
    filledValue: 0n,
    feePaid: 0n,
    status: "open",
    cancelReason: "",
    clientOrderId,
    ...times,
  } as const;
  const id = inList === undefined ? venue.nextNumber++ : inList.id;
  const wanted = {
    id,
    user,
    pair: command.pair,
    grid: pair.grid,
    side,
    type,
    timeInForce,
    postOnly,
    ticks,
    lots,
    quoteAmount,
  };
  const order: NaiveOrder = { ...wanted, ...fresh };
  venue.orders.push(order);
  if (clientOrderId !== "" && inList === undefined)
    venue.names.push({ kind: "order", user, name: clientOrderId, content, orderId: id, at: venue.at });
  return order;
}

function notePrevented(
  order: NaiveOrder,
  { command, prevented, rests }: { readonly command: PlaceOrder; readonly prevented: number; readonly rests: boolean },
): void {
  const conditions = order.conditions ?? addConditions(order, command);
  conditions.preventedLots += prevented;
  if (!rests) return;
  if (conditions.originalLots === 0) conditions.originalLots = order.lots;
  order.lots -= prevented;
}

type Finished = { readonly order: NaiveOrder; readonly plan: Plan; readonly command: PlaceOrder };

function endOrRest(venue: NaiveVenue, { order, plan, command }: Finished): void {
  const { end, prevented } = plan;
  const isLeftOver = end === "empty" || end === "price";
  const rests = isLeftOver && order.type === "limit" && (order.timeInForce === "GTC" || order.timeInForce === "GTD");
  if (prevented > 0) notePrevented(order, { command, prevented, rests });
  if (rests) {
    order.status = order.filledLots === 0 ? "open" : "partiallyFilled";
    const { currency, amount } = need(venue, order);
    freeze(venue, { user: order.user, currency, amount });
    return;
  }
  const reasons = {
    complete: "",
    empty: "noLiquidity",
    price: "priceBand",
    self: "selfTrade",
    many: "tooManyFills",
    spent: "fundsSpent",
  } as const;
  order.cancelReason = isLeftOver && order.type === "limit" ? "immediateOrCancel" : reasons[end];
  order.status = end === "complete" || end === "spent" ? "filled" : "cancelled";
}
