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
  const fail = (reason: NaiveOrder["cancelReason"]) =>
    endAs(venue, order, { status: reason === "fundsSpent" ? "filled" : "failed", reason });
  const { conditions, user, side, type } = order;
  if (!conditions) return;
  if (order.postOnly && wouldTrade(venue, pair, order)) return fail("postOnly");
  let amount = isTrigger(type) || type === "limit" ? reserveOf(venue, pair, order) : 0n;
  if (type === "market") {
    const { selfTrade } = conditions;
    const plan = planOf(venue, pair, { ...order, selfTrade });
    const hasEffect = plan.lots > 0 || (plan.end === "self" && (selfTrade === "cancelBoth" || selfTrade === "decrement"));
    const reasons = { price: "priceBand", self: "selfTrade", spent: "fundsSpent" } as const;
    if (!hasEffect) return fail(reasons[plan.end as keyof typeof reasons] ?? "noLiquidity");
    amount = side === "buy" ? plan.value : quantity(pair, plan.lots);
  }
  const { currency } = need(venue, order);
  if (available(venue, user, currency) < amount) return fail("fundsInsufficient");
  freeze(venue, { user, currency, amount });
  if (isTrigger(type)) {
    conditions.reserved = amount;
    beginWaiting(venue, pair, { order, isLate: true });
  } else naiveRun(venue, order, amount);
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
