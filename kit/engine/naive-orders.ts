import type { TradeRow } from "../../origin/engine/changes.ts";
import type { PlaceOrder } from "../../origin/engine/command.ts";
import type { Outcome, RejectCode } from "../../origin/engine/outcome.ts";
import { crossesOwn, isNaiveOpening, restingTicks } from "./naive-auction.ts";
import {
  available,
  backing,
  balance,
  cancelOne,
  fee,
  hasUsedUpNames,
  isOpen,
  MOST,
  no,
  PRICE_MOST,
  quantity,
  said,
  worth,
} from "./naive-parts.ts";
import { isOutsideBand, isTooFar, othersInTurn, type Plan, planOf, type Step } from "./naive-plan.ts";
import type { NaiveOrder, NaivePair, NaiveVenue } from "./naive-venue.ts";

/** First the whole plan is made, then it is judged, and only then it is executed. */
export function naivePlace(venue: NaiveVenue, command: PlaceOrder): Outcome {
  if (!isSensible(command)) return no("command_invalid");
  const content = contentOf(command);
  if (command.clientOrderId !== "") {
    const { user, clientOrderId } = command;
    const before = said(venue, { kind: "order", user, name: clientOrderId });
    if (before)
      return before.content === content
        ? { kind: "repetition", orderId: before.orderId }
        : no("client_order_id_reused");
    const isInUse = venue.orders.some(
      (order) => order.user === user && order.clientOrderId === clientOrderId && isOpen(order),
    );
    if (isInUse) return no("client_order_id_reused");
  }
  const pair = venue.pairs.find(({ terms }) => terms.pair === command.pair);
  if (!pair) return no("pair_unknown");
  if (pair.terms.state === "auction") return placeInAuction(venue, pair, { command, content });
  const plan = planOf(venue, pair, command);
  const fault = faultBefore(venue, pair, command) ?? faultInBook(venue, pair, { command, plan });
  if (fault) return no(fault);
  const needed = neededFor(venue, pair, { command, plan });
  if (available(venue, command.user, needed.currency) < needed.amount) return no("balance_insufficient");
  return carryOut(venue, pair, { command, plan, content });
}

/** It rests at a price, and nothing trades. */
function placeInAuction(
  venue: NaiveVenue,
  pair: NaivePair,
  { command, content }: { readonly command: PlaceOrder; readonly content: string },
): Outcome {
  const ticks = restingTicks(pair, command);
  const fault = faultInAuction(venue, pair, { command, ticks });
  if (fault) return no(fault);
  const { side, lots } = command;
  const { baseCurrency, quoteCurrency } = pair.terms;
  const amount = side === "buy" ? worth(venue, pair, { ticks, lots }) : quantity(pair, lots);
  if (available(venue, command.user, side === "buy" ? quoteCurrency : baseCurrency) < amount)
    return no("balance_insufficient");
  const order = newOrder(venue, pair, { command: { ...command, ticks }, content });
  const backed = backing(venue, order);
  const row = balance(venue, order.user, backed.currency);
  row.available -= backed.amount;
  row.frozen += backed.amount;
  return { kind: "order", order: { ...order }, trades: [] };
}

type Resting = { readonly command: PlaceOrder; readonly ticks: number };

function faultInAuction(venue: NaiveVenue, pair: NaivePair, { command, ticks }: Resting): RejectCode | undefined {
  const { user, timeInForce, quoteAmount, selfTrade } = command;
  if (command.grid !== pair.grid) return "pair_changed";
  if (isNaiveOpening(venue, pair)) return "pair_opening";
  if (venue.users.find(({ name }) => name === user)?.isFrozen) return "user_frozen";
  if (timeInForce === "FOK" || quoteAmount > 0n) return "auction_order_unsupported";
  if (ticks === 0) return "auction_price_required";
  const fault =
    valueFault(venue, pair, { command, ticks }) ?? noRoom(venue, { ...command, type: "limit", timeInForce: "GTC" });
  if (fault) return fault;
  return selfTrade !== "none" && crossesOwn(venue, command, ticks) ? "self_trade" : undefined;
}

function valueFault(venue: NaiveVenue, pair: NaivePair, { command, ticks }: Resting): RejectCode | undefined {
  const { type, side, lots } = command;
  const valueTicks = type === "market" && side === "sell" ? pair.lastTicks : ticks;
  const value = worth(venue, pair, { ticks: valueTicks, lots });
  if (valueTicks > PRICE_MOST || value > MOST || quantity(pair, lots) > MOST) return "value_too_large";
  if (value < pair.terms.valueStepsMin && valueTicks > 0) return "value_below_minimum";
  return type === "limit" && isOutsideBand(pair, side, ticks) ? "price_outside_band" : undefined;
}

function isSensible({ type, ticks, lots, quoteAmount, timeInForce, postOnly, openOrdersMax }: PlaceOrder): boolean {
  if ([ticks, lots, openOrdersMax].some((number) => !Number.isSafeInteger(number) || number < 0) || quoteAmount < 0n)
    return false;
  if (type === "limit") return ticks !== 0 && lots !== 0 && quoteAmount === 0n && !(postOnly && timeInForce !== "GTC");
  return ticks === 0 && !postOnly && (lots === 0 ? quoteAmount !== 0n : quoteAmount === 0n);
}

function contentOf({
  pair,
  grid,
  side,
  type,
  ticks,
  lots,
  quoteAmount,
  timeInForce,
  postOnly,
  selfTrade,
}: PlaceOrder): string {
  return [pair, grid, side, type, ticks, lots, quoteAmount, timeInForce, postOnly, selfTrade].join(" ");
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

function noRoom(
  venue: NaiveVenue,
  { user, type, timeInForce, openOrdersMax, clientOrderId }: PlaceOrder,
): RejectCode | undefined {
  const open = venue.orders.filter(isOpen);
  const mayRest = type === "limit" && timeInForce === "GTC";
  if (mayRest && open.filter((order) => order.user === user).length + 1 > openOrdersMax) return "open_orders_limit";
  if (mayRest && open.length + 1 > venue.bounds.openOrdersMax) return "engine_full";
  return clientOrderId !== "" && hasUsedUpNames(venue, user) ? "engine_full" : undefined;
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
  const hasEffect = plan.lots > 0 || (plan.end === "self" && command.selfTrade === "cancelBoth");
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

function carryOut(
  venue: NaiveVenue,
  pair: NaivePair,
  { command, plan, content }: Planned & { readonly content: string },
): Outcome {
  const order = newOrder(venue, pair, { command, content });
  const tradesBefore = venue.trades.length;
  for (const step of plan.steps) {
    if (step.lots === 0) cancelOne(venue, step.maker, "selfTrade");
    else tradeOne(venue, pair, { order, step });
  }
  endOrRest(venue, { order, plan });
  return { kind: "order", order: { ...order }, trades: venue.trades.slice(tradesBefore) };
}

function newOrder(
  venue: NaiveVenue,
  pair: NaivePair,
  { command, content }: { readonly command: PlaceOrder; readonly content: string },
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
  const id = venue.orders.length + 1;
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
  if (clientOrderId !== "")
    venue.names.push({ kind: "order", user, name: clientOrderId, content, orderId: id, at: venue.at });
  return order;
}

function tradeOne(
  venue: NaiveVenue,
  pair: NaivePair,
  { order, step: { maker, lots, value } }: { order: NaiveOrder; step: Step },
): void {
  const { baseCurrency, quoteCurrency, makerFeePpm, takerFeePpm } = pair.terms;
  const [buy, sell] = order.side === "buy" ? [order, maker] : [maker, order];
  const amount = quantity(pair, lots);
  const buyFee = fee(amount, buy === order ? takerFeePpm : makerFeePpm);
  const sellFee = fee(value, sell === order ? takerFeePpm : makerFeePpm);
  // The taker pays from the available amount, the maker from the frozen one.
  if (buy === maker) balance(venue, buy.user, quoteCurrency).frozen -= value;
  else balance(venue, buy.user, quoteCurrency).available -= value;
  if (sell === maker) balance(venue, sell.user, baseCurrency).frozen -= amount;
  else balance(venue, sell.user, baseCurrency).available -= amount;
  balance(venue, buy.user, baseCurrency).available += amount - buyFee;
  balance(venue, sell.user, quoteCurrency).available += value - sellFee;
  balance(venue, "house", baseCurrency).available += buyFee;
  balance(venue, "house", quoteCurrency).available += sellFee;
  for (const one of [buy, sell]) {
    one.filledLots += lots;
    one.filledValue += value;
    one.feePaid += one === buy ? buyFee : sellFee;
    one.updatedAt = venue.at;
  }
  maker.status = maker.filledLots === maker.lots ? "filled" : "partiallyFilled";
  pair.lastTicks = maker.ticks;
  const row: TradeRow = {
    id: venue.trades.length + 1,
    pair: pair.terms.pair,
    grid: pair.grid,
    at: venue.at,
    ticks: maker.ticks,
    lots,
    value,
    takerSide: order.side,
    buyOrderId: buy.id,
    sellOrderId: sell.id,
    buyUser: buy.user,
    sellUser: sell.user,
    buyFee,
    sellFee,
    auction: 0,
  };
  venue.trades.push(row);
}

function endOrRest(venue: NaiveVenue, { order, plan: { end } }: { order: NaiveOrder; plan: Plan }): void {
  const isLeftOver = end === "empty" || end === "price";
  if (isLeftOver && order.type === "limit" && order.timeInForce === "GTC") {
    order.status = order.filledLots === 0 ? "open" : "partiallyFilled";
    const { currency, amount } = backing(venue, order);
    const row = balance(venue, order.user, currency);
    row.available -= amount;
    row.frozen += amount;
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
