import type { ListOrder, PlaceOrder } from "../../origin/engine/command.ts";
import { addConditions } from "./naive-conditions.ts";
import { buyOf, cancelWaiting, giveBack, legsOf } from "./naive-lists.ts";
import { newOrder } from "./naive-orders.ts";
import { PRICE_MOST, pairNamed, worth } from "./naive-parts.ts";
import { placeLimitLeg } from "./naive-run-list.ts";
import { beginWaiting } from "./naive-triggers.ts";
import type { NaiveList, NaiveOrder, NaivePair, NaiveVenue } from "./naive-venue.ts";

export function beginExit(venue: NaiveVenue, { order, listId }: { order: NaiveOrder; listId: number }): NaiveList {
  const conditions = addConditions(order);
  const { targetProfitPpm, stopLossPpm } = conditions;
  const targetId = targetProfitPpm === 0 ? 0 : venue.nextNumber++;
  const stopId = stopLossPpm === 0 ? 0 : venue.nextNumber++;
  const list: NaiveList = {
    ...{ id: listId, user: order.user, pair: order.pair, kind: "exit", clientListId: "" },
    orderIds: [order.id, targetId, stopId],
    ...{ reserved: 0n, targetProfitPpm, stopLossPpm, boughtLots: 0, boughtValue: 0n, createdAt: venue.at },
  };
  Object.assign(conditions, { listId, role: "working", sellOrderId: targetId === 0 ? stopId : targetId });
  venue.lists.push(list);
  return list;
}

/** Sell orders without lots yet. */
export function addExitOrders(
  venue: NaiveVenue,
  pair: NaivePair,
  { list, order }: { list: NaiveList; order: NaiveOrder },
) {
  const common = { side: "sell", ticks: 0, lots: 0, quoteAmount: 0n, postOnly: false, clientOrderId: "" } as const;
  const selfTrade = order.conditions?.selfTrade ?? "cancelNewest";
  const kinds: [number, "above" | "below", Pick<ListOrder, "type" | "timeInForce">][] = [
    [list.orderIds[1] ?? 0, "above", { type: "limit", timeInForce: "GTC" }],
    [list.orderIds[2] ?? 0, "below", { type: "stop", timeInForce: "IOC" }],
  ];
  for (const [id, role, kind] of kinds) {
    if (id === 0) continue;
    const command: PlaceOrder = {
      ...{ ...common, ...kind, kind: "place", user: order.user, pair: order.pair, grid: pair.grid, selfTrade },
      openOrdersMax: 0,
    };
    const leg = newOrder(venue, pair, { command, content: "", inList: { id } });
    leg.status = "pending";
    Object.assign(addConditions(leg, command), { phase: "dormant", listId: list.id, role, buyOrderId: order.id });
  }
  if (!buyOf(venue, list) && list.boughtLots === 0) cancelWaiting(venue, list);
}

/** To what the buy has received so far. */
export function growExit(venue: NaiveVenue, list: NaiveList): void {
  const pair = pairNamed(venue, list.pair);
  const [first] = legsOf(venue, list);
  if (!first) return;
  const lots = list.reserved / pair.terms.lotSteps;
  if (!buyOf(venue, list)) {
    const rest = list.reserved % pair.terms.lotSteps;
    if (lots === 0n) cancelWaiting(venue, list);
    giveBack(venue, list, first, rest);
  }
  if (lots === 0n || BigInt(first.lots) === lots) return;
  const stop = legsOf(venue, list).find(({ conditions }) => conditions?.role === "below");
  const target = legsOf(venue, list).find(({ conditions }) => conditions?.role === "above");
  const unit = worth(venue, pair, { ticks: 1, lots: list.boughtLots }) * 1_000_000n;
  if (stop?.conditions) {
    stop.lots = Number(lots);
    stop.updatedAt = venue.at;
    const ticks = (list.boughtValue * BigInt(1_000_000 - list.stopLossPpm)) / unit;
    stop.conditions.stopTicks = ticks < 1n ? 1 : Number(ticks);
    beginWaiting(venue, pair, { order: stop, isLate: true });
  }
  if (target?.conditions) {
    target.status = "pending";
    target.lots = Number(lots);
    const exact = list.boughtValue * BigInt(1_000_000 + list.targetProfitPpm);
    const ticks = exact % unit === 0n ? exact / unit : exact / unit + 1n;
    target.ticks = Number(ticks > BigInt(PRICE_MOST) ? BigInt(PRICE_MOST) : ticks);
    placeLimitLeg(venue, pair, target);
  }
}
