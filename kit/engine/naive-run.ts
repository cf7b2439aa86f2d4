import { endAs, freeze, need, pairNamed } from "./naive-parts.ts";
import { isOutsideBand, type Plan, type Planning, planOf } from "./naive-plan.ts";
import { reachTraded, tradeSteps } from "./naive-trades.ts";
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
  const isOutside = isLimit(type) && isOutsideBand(pair, side, order.ticks);
  if (isOutside || (timeInForce === "FOK" && !isFilled(order, plan))) {
    endAs(venue, order, { status: "failed", reason: isOutside ? "priceBand" : "fillOrKill" });
    return;
  }
  const before = venue.trades.length;
  tradeSteps(venue, pair, { order, plan });
  venue.workLeft -= venue.trades.length - before;
  finish(venue, order, plan);
  reachTraded(venue, pair, before);
}

function isFilled({ lots, quoteAmount }: NaiveOrder, plan: Plan): boolean {
  if (lots > 0) return plan.lots === lots;
  return plan.value === quoteAmount || plan.end === "spent";
}

function finish(venue: NaiveVenue, order: NaiveOrder, plan: Plan): void {
  const { conditions, type, timeInForce } = order;
  if (!conditions) return;
  const isLeftOver = plan.end === "empty" || plan.end === "price";
  conditions.preventedLots += plan.prevented;
  if (isLimit(type) && (timeInForce === "GTC" || timeInForce === "GTD") && isLeftOver) {
    rest(venue, order, plan);
    return;
  }
  const filled = plan.end === "spent" ? "fundsSpent" : "";
  const reason = isFilled(order, plan) ? filled : whyNot(order, plan);
  endAs(venue, order, { status: statusOf(order, reason), reason });
}

function rest(venue: NaiveVenue, order: NaiveOrder, { prevented }: Plan): void {
  const { conditions } = order;
  if (!conditions) return;
  if (prevented > 0 && conditions.originalLots === 0) conditions.originalLots = order.lots;
  order.lots -= prevented;
  order.status = order.filledLots === 0 ? "open" : "partiallyFilled";
  conditions.priority = venue.nextNumber++;
  const { currency, amount } = need(venue, order);
  freeze(venue, { user: order.user, currency, amount });
}

function statusOf({ conditions, filledLots }: NaiveOrder, reason: Reason): NaiveOrder["status"] {
  const isStop = conditions?.buyOrderId !== 0 && conditions?.role === "below";
  if (isStop && filledLots > 0) return "stopped";
  if (reason === "" || reason === "fundsSpent") return "filled";
  return filledLots > 0 ? "cancelled" : "failed";
}

function whyNot({ type }: NaiveOrder, { end }: Plan): Reason {
  if (end === "complete" || end === "spent") return "reserveSpent";
  if (end === "self") return "selfTrade";
  if (end === "many") return "tooManyFills";
  if (isLimit(type)) return "immediateOrCancel";
  return end === "empty" ? "noLiquidity" : "priceBand";
}
