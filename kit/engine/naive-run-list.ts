import { growExit } from "./naive-exit.ts";
import { legsOf, membersOf } from "./naive-lists.ts";
import { available, endAs, freeze, need, pairNamed, quantity } from "./naive-parts.ts";
import { isTooFar, othersInTurn, planOf } from "./naive-plan.ts";
import { naiveRun } from "./naive-run.ts";
import { beginWaiting, isTrigger, reserveOf } from "./naive-triggers.ts";
import type { NaiveList, NaiveOrder, NaivePair, NaiveVenue } from "./naive-venue.ts";
import { takeFunds } from "./naive-work.ts";

/** The working order was filled, or a buy has received more. */
export function naiveRunList(venue: NaiveVenue, list: NaiveList): void {
  const pair = pairNamed(venue, list.pair);
  if (list.kind === "exit") growExit(venue, list);
  else if (list.kind === "oto") for (const order of membersOf(venue, list)) placePending(venue, pair, order);
  else placeLegs(venue, pair, list);
}

function placePending(venue: NaiveVenue, pair: NaivePair, order: NaiveOrder): void {
  const { conditions, user, type } = order;
  const amount = order.postOnly && wouldTrade(venue, pair, order) ? "postOnly" : amountFor(venue, pair, order);
  const { currency } = need(venue, order);
  const isShort = typeof amount !== "string" && available(venue, user, currency) < amount;
  if (typeof amount === "string" || isShort || !conditions) {
    const reason = typeof amount === "string" ? amount : "fundsInsufficient";
    endAs(venue, order, { status: reason === "fundsSpent" ? "filled" : "failed", reason });
    return;
  }
  freeze(venue, { user, currency, amount });
  if (isTrigger(type)) {
    conditions.reserved = amount;
    beginWaiting(venue, pair, { order, isLate: true });
  } else naiveRun(venue, order, amount);
}

/** The amount that it needs, or why it would have no effect. */
function amountFor(venue: NaiveVenue, pair: NaivePair, order: NaiveOrder): bigint | NaiveOrder["cancelReason"] {
  if (order.type !== "market") return reserveOf(venue, pair, order);
  const selfTrade = order.conditions?.selfTrade ?? "none";
  const plan = planOf(venue, pair, { ...order, selfTrade });
  const reachesOwn = plan.end === "self" && (selfTrade === "cancelBoth" || selfTrade === "decrement");
  const reasons = { price: "priceBand", self: "selfTrade", spent: "fundsSpent" } as const;
  if (plan.lots === 0 && !reachesOwn) return reasons[plan.end as keyof typeof reasons] ?? "noLiquidity";
  return order.side === "buy" ? plan.value : quantity(pair, plan.lots);
}

function placeLegs(venue: NaiveVenue, pair: NaivePair, list: NaiveList): void {
  const legs = legsOf(venue, list);
  const [first] = legs;
  if (!first) return;
  const needs = legs.map((leg) => reserveOf(venue, pair, leg));
  const most = needs.reduce((a, b) => (a > b ? a : b));
  const { currency } = need(venue, first);
  if (available(venue, first.user, currency) < most) {
    for (const leg of legs) endAs(venue, leg, { status: "failed", reason: "fundsInsufficient" });
    return;
  }
  freeze(venue, { user: first.user, currency, amount: most });
  list.reserved = most;
  for (const leg of legs) if (isTrigger(leg.type)) beginWaiting(venue, pair, { order: leg, isLate: true });
  for (const leg of legs) if (leg.type === "limit") placeLimitLeg(venue, pair, leg);
}

const wouldTrade = (venue: NaiveVenue, pair: NaivePair, order: NaiveOrder) => {
  const [best] = othersInTurn(venue, order);
  return best !== undefined && !isTooFar(pair, order, best.ticks);
};

export function placeLimitLeg(venue: NaiveVenue, pair: NaivePair, leg: NaiveOrder): void {
  if (wouldTrade(venue, pair, leg)) {
    naiveRun(venue, leg, takeFunds(venue, leg));
    return;
  }
  if (leg.conditions) leg.conditions.priority = venue.nextNumber++;
  restLeg(venue, leg);
}

/** Its list keeps the funds. */
export function restLeg(venue: NaiveVenue, leg: NaiveOrder): void {
  if (leg.conditions) leg.conditions.phase = "placed";
  leg.status = "open";
  leg.updatedAt = venue.at;
}
