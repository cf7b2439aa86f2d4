import { cancelOne, freeze, isAlive, isSharing, listOf, need, pairNamed } from "./naive-parts.ts";
import type { NaiveList, NaiveOrder, NaiveVenue } from "./naive-venue.ts";

type Reason = NaiveOrder["cancelReason"];

/** The orders of a list that can still trade, in the list's order. */
export function membersOf(venue: NaiveVenue, list: NaiveList): NaiveOrder[] {
  return list.orderIds.flatMap((orderId) =>
    venue.orders.filter(({ id, conditions }) => id === orderId && conditions?.listId === list.id).filter(isAlive),
  );
}

export function legsOf(venue: NaiveVenue, list: NaiveList): NaiveOrder[] {
  return membersOf(venue, list).filter(
    ({ conditions }) => conditions?.role === "above" || conditions?.role === "below",
  );
}

export function buyOf(venue: NaiveVenue, list: NaiveList): NaiveOrder | undefined {
  return membersOf(venue, list).find(({ conditions }) => conditions?.role === "working");
}

function due(venue: NaiveVenue, list: NaiveList): void {
  if (!venue.work.some((item) => "list" in item && item.list === list)) venue.work.push({ pair: list.pair, list });
}

export function undue(venue: NaiveVenue, list: NaiveList): void {
  const place = venue.work.findIndex((item) => "list" in item && item.list === list);
  if (place >= 0) venue.work.splice(place, 1);
}

export function giveBack(venue: NaiveVenue, list: NaiveList, { user, side }: NaiveOrder, amount: bigint): void {
  const { baseCurrency, quoteCurrency } = pairNamed(venue, list.pair).terms;
  freeze(venue, { user, currency: side === "buy" ? quoteCurrency : baseCurrency, amount: -amount });
  list.reserved -= amount;
}

/** The order, and what depends on it. */
export function cancelWithList(venue: NaiveVenue, order: NaiveOrder, reason: Reason): NaiveOrder[] {
  const list = listOf(venue, order);
  if (!list) {
    cancelOne(venue, order, reason);
    return [order];
  }
  if (list.kind === "exit" && order.conditions?.role === "working") {
    cancelOne(venue, order, reason);
    if (list.boughtLots > 0) {
      due(venue, list);
      return [order];
    }
    return [order, ...cancelWaiting(venue, list)];
  }
  const all = list.kind === "exit" ? legsOf(venue, list) : membersOf(venue, list);
  const payer = legsOf(venue, list)[0] ?? order;
  const others = all.filter((one) => one !== order);
  cancelOne(venue, order, reason);
  for (const one of others) cancelOne(venue, one, "list");
  giveBack(venue, list, payer, list.reserved);
  undue(venue, list);
  if (list.kind === "exit") detach(venue, list);
  return [order, ...others];
}

function detach(venue: NaiveVenue, list: NaiveList): void {
  const conditions = buyOf(venue, list)?.conditions;
  if (conditions) Object.assign(conditions, { listId: 0, role: "" });
}

export function cancelWaiting(venue: NaiveVenue, list: NaiveList): NaiveOrder[] {
  const gone = membersOf(venue, list);
  for (const order of gone) cancelOne(venue, order, "list");
  undue(venue, list);
  return gone;
}

export function cancelTheList(venue: NaiveVenue, list: NaiveList): NaiveOrder[] {
  const gone = membersOf(venue, list);
  const payer = legsOf(venue, list)[0] ?? gone[0];
  for (const order of gone) cancelOne(venue, order, "user");
  if (payer) giveBack(venue, list, payer, list.reserved);
  undue(venue, list);
  return gone;
}

/** One of two continues by itself. */
export function endOthers(venue: NaiveVenue, list: NaiveList, order: NaiveOrder): void {
  for (const leg of legsOf(venue, list)) if (leg !== order) cancelOne(venue, leg, "list");
  const buy = list.kind === "exit" ? buyOf(venue, list) : undefined;
  if (buy && pairNamed(venue, list.pair).terms.state === "trading") cancelOne(venue, buy, "exitBegun");
  else if (buy) detach(venue, list);
  undue(venue, list);
}

type Trade = {
  readonly buy: NaiveOrder;
  readonly sell: NaiveOrder;
  readonly lots: number;
  readonly value: bigint;
  readonly paid: bigint;
  readonly amount: bigint;
  readonly received: bigint;
};

/** The lots are filled and the money has moved; the status of the orders may be out of date. */
export function afterTrade(venue: NaiveVenue, { buy, sell, lots, value, paid, amount, received }: Trade): void {
  touched(venue, sell, amount);
  touched(venue, buy, paid);
  const list = listOf(venue, buy);
  if (list?.kind !== "exit" || buy.conditions?.role !== "working") return;
  freeze(venue, { user: buy.user, currency: pairNamed(venue, buy.pair).terms.baseCurrency, amount: received });
  list.reserved += received;
  list.boughtLots += lots;
  list.boughtValue += value;
  due(venue, list);
}

function touched(venue: NaiveVenue, order: NaiveOrder, paid: bigint): void {
  const list = listOf(venue, order);
  if (!list) return;
  if (isSharing(venue, order)) {
    list.reserved -= paid;
    endOthers(venue, list, order);
    const excess = list.reserved - need(venue, order).amount;
    giveBack(venue, list, order, excess);
    list.reserved = 0n;
  } else if (order.conditions?.role === "working" && list.kind !== "exit" && order.filledLots === order.lots)
    due(venue, list);
}
