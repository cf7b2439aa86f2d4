import type { TradeRow } from "../../origin/engine/changes.ts";
import { addConditions } from "./naive-conditions.ts";
import { afterTrade, cancelWithList } from "./naive-lists.ts";
import { balance, fee, freeze, need, quantity } from "./naive-parts.ts";
import type { Plan, Step } from "./naive-plan.ts";
import { reachPrice } from "./naive-triggers.ts";
import type { NaiveOrder, NaivePair, NaiveVenue } from "./naive-venue.ts";

/** Carries out a plan. The order pays from the available amount. */
export function tradeSteps(
  venue: NaiveVenue,
  pair: NaivePair,
  { order, plan }: { readonly order: NaiveOrder; readonly plan: Plan },
): void {
  for (const step of plan.steps) {
    if (step.kind === "trade") tradeOne(venue, pair, { order, step });
    else if (step.kind === "cancel" || step.lots === step.maker.lots - step.maker.filledLots)
      cancelWithList(venue, step.maker, "selfTrade");
    else shrink(venue, step.maker, step.lots);
  }
}

/** After the order has ended or rests: the prices of its trades, one after the other. */
export function reachTraded(venue: NaiveVenue, pair: NaivePair, before: number): void {
  for (const { ticks } of venue.trades.slice(before)) reachPrice(venue, pair, ticks);
}

function shrink(venue: NaiveVenue, maker: NaiveOrder, lots: number): void {
  const conditions = addConditions(maker);
  if (conditions.originalLots === 0) conditions.originalLots = maker.lots;
  conditions.preventedLots += lots;
  const before = need(venue, maker);
  maker.lots -= lots;
  freeze(venue, { user: maker.user, currency: before.currency, amount: need(venue, maker).amount - before.amount });
  maker.updatedAt = venue.at;
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
  afterTrade(venue, { buy, sell, lots, value, paid: value, amount, received: amount - buyFee });
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
