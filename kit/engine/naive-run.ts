import { reachTraded, tradeSteps } from "./naive-trades.ts";
import { endAs, freeze, need, pairNamed } from "./naive-parts.ts";
import { isOutsideBand, type Plan, type Planning, planOf } from "./naive-plan.ts";
import { isLimit } from "./naive-triggers.ts";
import type { NaiveOrder, NaiveVenue } from "./naive-venue.ts";

type Reason = NaiveOrder["cancelReason"];

/** An order whose moment has come, with what is frozen for it. */
export function naiveRun(venue: NaiveVenue, order: NaiveOrder, reserve: bigint): void {
  const pair = pairNamed(venue, order.pair);
  const { conditions, type, side, user, timeInForce } = order;
  if (!conditions) return;
  const { currency } = need(venue, order);
  freeze(venue, { user, currency, amount: -reserve });
  conditions.phase = "placed";
  conditions.reserved = 0n;
  order.updatedAt = venue.at;
  order.status = "open";
  const isCapped = type === "stop" || type === "takeProfit";
  const planning: Planning = {
    ...{ user, pair: order.pair, side, type, ticks: order.ticks, lots: order.lots, quoteAmount: order.quoteAmount },
    selfTrade: conditions.selfTrade,
    ...(isCapped && side === "buy" ? { valueMax: reserve } : {}),
    ...(isCapped && side === "sell" ? { lotsMax: Number(reserve / pair.terms.lotSteps) } : {}),
  };
  const plan = planOf(venue, pair, planning);
  if (isLimit(type) && isOutsideBand(pair, side, order.ticks)) return fail(venue, order, "priceBand");
  if (timeInForce === "FOK" && !isFilled(order, plan)) return fail(venue, order, "fillOrKill");
  const before = venue.trades.length;
  tradeSteps(venue, pair, { order, plan });
  venue.workLeft -= venue.trades.length - before;
  finish(venue, order, plan);
  reachTraded(venue, pair, before);
}

function fail(venue: NaiveVenue, order: NaiveOrder, reason: Reason): void {
  endAs(venue, order, { status: "failed", reason });
}

function isFilled({ lots, quoteAmount }: NaiveOrder, plan: Plan): boolean {
  if (lots > 0) return plan.lots === lots;
  return plan.value === quoteAmount || plan.end === "spent";
}

function finish(venue: NaiveVenue, order: NaiveOrder, plan: Plan): void {
  const { conditions, type, timeInForce } = order;
  if (!conditions) return;
  const isLeftOver = plan.end === "empty" || plan.end === "price";
  const rests = isLimit(type) && (timeInForce === "GTC" || timeInForce === "GTD") && isLeftOver;
  conditions.preventedLots += plan.prevented;
  if (rests) {
    if (plan.prevented > 0 && conditions.originalLots === 0) conditions.originalLots = order.lots;
    order.lots -= plan.prevented;
    order.status = order.filledLots === 0 ? "open" : "partiallyFilled";
    conditions.priority = venue.nextNumber++;
    const { currency, amount } = need(venue, order);
    freeze(venue, { user: order.user, currency, amount });
    return;
  }
  const reason = isFilled(order, plan) ? (plan.end === "spent" ? "fundsSpent" : "") : whyNot(order, plan);
  const isStopped = conditions.buyOrderId !== 0 && conditions.role === "below" && order.filledLots > 0;
  const ended = order.filledLots > 0 ? "cancelled" : "failed";
  const status = isStopped ? "stopped" : reason === "" || reason === "fundsSpent" ? "filled" : ended;
  endAs(venue, order, { status, reason });
}

function whyNot({ type }: NaiveOrder, { end }: Plan): Reason {
  if (end === "complete" || end === "spent") return "reserveSpent";
  if (end === "self") return "selfTrade";
  if (end === "many") return "tooManyFills";
  if (isLimit(type)) return "immediateOrCancel";
  return end === "empty" ? "noLiquidity" : "priceBand";
}
