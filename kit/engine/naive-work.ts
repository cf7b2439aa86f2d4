import { naiveHold } from "./naive-auction.ts";
import { cancelOldest } from "./naive-cancel.ts";
import { cancelWithList, endOthers, undue } from "./naive-lists.ts";
import { isAlive, isSharing, listOf, pairNamed, turnOf } from "./naive-parts.ts";
import { naiveRun } from "./naive-run.ts";
import { naiveRunList } from "./naive-run-list.ts";
import type { NaiveOrder, NaiveVenue, NaiveWork } from "./naive-venue.ts";

/** Does the work that is due by the time, then the work that is left over. */
export function naiveDue(venue: NaiveVenue): void {
  for (;;) {
    const orders = venue.orders
      .filter(
        (order) => isAlive(order) && isOver(venue, order.conditions?.expiresAt ?? 0) && !naiveHold(venue, order.pair),
      )
      .map((order) => ({ dueAt: order.conditions?.expiresAt ?? 0, order, user: "" }));
    const users = venue.users
      .filter(({ name, cancelAt }) => isOver(venue, cancelAt) && !isHeldUp(venue, name))
      .map(({ name, cancelAt }) => ({ dueAt: cancelAt, order: undefined, user: name }));
    const all = [...orders, ...users].sort(
      (a, b) =>
        a.dueAt - b.dueAt ||
        (a.order?.id ?? Number.MAX_VALUE) - (b.order?.id ?? Number.MAX_VALUE) ||
        (a.user < b.user ? -1 : 1),
    );
    const [first] = all;
    if (!first || venue.workLeft <= 0) break;
    if (first.order) venue.workLeft -= cancelWithList(venue, first.order, "expired").length;
    else strike(venue, first.user);
  }
  naiveWork(venue);
}

const isOver = ({ at }: NaiveVenue, time: number) => time !== 0 && time <= at;
const aliveOf = (venue: NaiveVenue, user: string) =>
  venue.orders.filter((order) => order.user === user && isAlive(order));

function isHeldUp(venue: NaiveVenue, user: string): boolean {
  const alive = aliveOf(venue, user);
  return alive.length > 0 && alive.every((order) => naiveHold(venue, order.pair));
}

function strike(venue: NaiveVenue, user: string): void {
  const { gone } = cancelOldest(venue, { user, pair: "", max: venue.workLeft, reason: "cancelAfter" });
  venue.workLeft -= gone.length === 0 ? 1 : gone.length;
  const found = venue.users.find(({ name }) => name === user);
  if (found && aliveOf(venue, user).length === 0) found.cancelAt = 0;
}

export function naiveWork(venue: NaiveVenue): void {
  for (;;) {
    const place = venue.work.findIndex(({ pair }) => pairNamed(venue, pair).terms.state === "trading");
    const item = venue.work[place];
    if (!item) return;
    const isEmpty = "reached" in item && skipGone(item.reached);
    if (!isEmpty && venue.workLeft <= 0) return;
    if (isEmpty) venue.work.splice(place, 1);
    else runItem(venue, item);
  }
}

/** Whether no order is left that still waits as it did. */
function skipGone(reached: { readonly order: NaiveOrder; readonly priority: number }[]): boolean {
  while (reached[0] && !isStillMeant(reached[0])) reached.shift();
  return reached.length === 0;
}

function runItem(venue: NaiveVenue, item: NaiveWork): void {
  venue.workLeft--;
  if ("list" in item) {
    undue(venue, item.list);
    naiveRunList(venue, item.list);
    return;
  }
  const next = item.reached.shift();
  if (next) trigger(venue, next.order);
}

const isStillMeant = ({ order, priority }: { readonly order: NaiveOrder; readonly priority: number }) =>
  order.status === "pending" &&
  turnOf(order) === priority &&
  (order.conditions?.phase === "waiting" || order.conditions?.phase === "reached");

function trigger(venue: NaiveVenue, order: NaiveOrder): void {
  const { conditions } = order;
  if (!conditions) return;
  const pair = pairNamed(venue, order.pair);
  if (conditions.trailingBps > 0 && conditions.phase === "waiting") {
    conditions.phase = "tracking";
    conditions.extremeTicks = pair.lastTicks;
    return;
  }
  conditions.triggeredAt = venue.at;
  naiveRun(venue, order, takeFunds(venue, order));
}

/** The amount that was kept for it; if it was kept for two, the other one ends. */
export function takeFunds(venue: NaiveVenue, order: NaiveOrder): bigint {
  const list = listOf(venue, order);
  if (!list || !isSharing(venue, order)) return order.conditions?.reserved ?? 0n;
  endOthers(venue, list, order);
  const { reserved } = list;
  list.reserved = 0n;
  return reserved;
}
