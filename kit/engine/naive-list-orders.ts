import type { ListOrder, PlaceList, PlaceOrder } from "../../origin/engine/command.ts";
import type { Outcome, RejectCode } from "../../origin/engine/outcome.ts";
import { addConditions } from "./naive-conditions.ts";
import { cancelWaiting, membersOf } from "./naive-lists.ts";
import { carryOut, faultOf, isSensible, newOrder, partOf, roomFor } from "./naive-orders.ts";
import { available, copyOf, freeze, isAlive, no, said } from "./naive-parts.ts";
import { trailingIn } from "./naive-place-trigger.ts";
import { isTooFar, othersInTurn, planOf } from "./naive-plan.ts";
import { restLeg } from "./naive-run-list.ts";
import { beginWaiting, conditionsFault, isBehind, isTrigger, reserveOf, sizeFault } from "./naive-triggers.ts";
import type { NaiveList, NaiveOrder, NaivePair, NaiveVenue } from "./naive-venue.ts";

export function naiveList(venue: NaiveVenue, command: PlaceList): Outcome {
  const malformed = malformation(venue, command);
  if (malformed) return no(malformed);
  const content = [command.pair, command.grid, command.list, ...command.orders.map(partOf)].join(" ");
  const known = recall(venue, command, content);
  if (known) return known;
  const pair = venue.pairs.find(({ terms }) => terms.pair === command.pair);
  if (!pair) return no("pair_unknown");
  const fault = faultIn(venue, pair, command);
  if (fault) return no(fault);
  return command.list === "oco"
    ? placeOco(venue, pair, { command, content })
    : placeOto(venue, pair, { command, content });
}

const whole = ({ user, pair, grid, openOrdersMax }: PlaceList, order: ListOrder): PlaceOrder => ({
  ...{ ...order, kind: "place", user, pair, grid, openOrdersMax },
});

function malformation(venue: NaiveVenue, command: PlaceList): RejectCode | undefined {
  const { list, orders } = command;
  const names = orders.map(({ clientOrderId }) => clientOrderId).filter((name) => name !== "");
  if (orders.length !== (list === "otoco" ? 3 : 2) || new Set(names).size !== names.length)
    return "list_orders_invalid";
  const faults = orders.map((order) => faultOfOne(venue, whole(command, order)));
  const fault = faults.find((one) => one !== undefined);
  if (fault) return fault;
  if (list !== "oco" && !(orders[0]?.type === "limit" && canRest(orders[0]))) return "list_orders_invalid";
  const [above, below] = orders.slice(-2);
  return list === "oto" || !above || !below ? undefined : legsFault(above, below);
}

function faultOfOne(venue: NaiveVenue, order: PlaceOrder): RejectCode | undefined {
  const fault = order.conditions ? conditionsFault(order, venue.at) : undefined;
  if (fault) return fault;
  if (!order.conditions && !isSensible(order)) return "command_invalid";
  const isFollowed = Boolean(order.conditions?.targetProfitPpm || order.conditions?.stopLossPpm);
  return order.lots === 0 || isFollowed ? "list_orders_invalid" : undefined;
}

const canRest = ({ timeInForce }: ListOrder) => timeInForce === "GTC" || timeInForce === "GTD";

function legsFault(above: ListOrder, below: ListOrder): RejectCode | undefined {
  if (above.side !== below.side || above.lots !== below.lots) return "list_orders_invalid";
  const [stop, take] = above.side === "sell" ? [below, above] : [above, below];
  if (!["stop", "stopLimit"].includes(stop.type)) return "list_orders_invalid";
  if (!["limit", "takeProfit", "takeProfitLimit"].includes(take.type)) return "list_orders_invalid";
  if (take.type === "limit" && !canRest(take)) return "list_orders_invalid";
  const priceOf = (leg: ListOrder) => (leg.type === "limit" ? leg.ticks : (leg.conditions?.stopTicks ?? 0));
  const [upper, lower] = [priceOf(above), priceOf(below)];
  return upper !== 0 && lower !== 0 && upper <= lower ? "list_prices_invalid" : undefined;
}

function recall(venue: NaiveVenue, { user, clientListId, orders }: PlaceList, content: string): Outcome | undefined {
  const list = clientListId === "" ? undefined : said(venue, { kind: "list", user, name: clientListId });
  if (list)
    return list.content === content ? { kind: "repetition", orderId: list.orderId } : no("client_list_id_reused");
  for (const { clientOrderId: name } of orders) {
    if (name === "") continue;
    const order = said(venue, { kind: "order", user, name });
    if (order)
      return order.content === content ? { kind: "repetition", orderId: order.orderId } : no("client_order_id_reused");
    if (venue.orders.some((one) => one.user === user && one.clientOrderId === name && isAlive(one)))
      return no("client_order_id_reused");
  }
  return undefined;
}

function faultIn(venue: NaiveVenue, pair: NaivePair, command: PlaceList): RejectCode | undefined {
  const { user, orders, openOrdersMax, clientListId, list } = command;
  if (command.grid !== pair.grid) return "pair_changed";
  if (pair.terms.state === "halted") return "pair_halted";
  if (venue.users.find(({ name }) => name === user)?.isFrozen) return "user_frozen";
  if (pair.terms.state === "auction") return "auction_order_unsupported";
  const fault = (list === "oco" ? orders : orders.slice(1))
    .map((order) => legFault(venue, pair, { order: whole(command, order), isNow: list === "oco" }))
    .find((one) => one !== undefined);
  if (fault) return fault;
  const trailing = orders.filter(({ conditions }) => conditions && conditions.trailingBps > 0).length;
  if (trailing > 0 && trailingIn(venue, pair) + trailing > venue.bounds.trailingMax) return "trailing_orders_limit";
  const names = [clientListId, ...orders.map(({ clientOrderId }) => clientOrderId)].filter((name) => name !== "");
  return roomFor(venue, { user, orders: orders.length, openOrdersMax, names: names.length });
}

function legFault(
  venue: NaiveVenue,
  pair: NaivePair,
  { order, isNow }: { readonly order: PlaceOrder; readonly isNow: boolean },
): RejectCode | undefined {
  const fault = isNow ? sideFault(venue, pair, order) : undefined;
  return fault ?? (order.type === "market" ? undefined : sizeFault(venue, pair, order));
}

function sideFault(venue: NaiveVenue, pair: NaivePair, order: PlaceOrder): RejectCode | undefined {
  const { stopTicks = 0, trailingBps = 0 } = order.conditions ?? {};
  if (isTrigger(order.type)) {
    if (trailingBps > 0) return stopTicks === 0 && pair.lastTicks === 0 ? "trigger_price_missing" : undefined;
    return isBehind(pair, order, stopTicks) ? "would_trigger_immediately" : undefined;
  }
  const [best] = othersInTurn(venue, order);
  if (best && !isTooFar(pair, order, best.ticks)) return "post_only_would_trade";
  const isWrong = order.side === "buy" ? order.ticks >= pair.lastTicks : order.ticks <= pair.lastTicks;
  return pair.lastTicks !== 0 && isWrong ? "list_prices_invalid" : undefined;
}

type Given = { readonly command: PlaceList; readonly content: string };

function placeOco(venue: NaiveVenue, pair: NaivePair, { command, content }: Given): Outcome {
  const most = command.orders.map((order) => reserveOf(venue, pair, order)).reduce((a, b) => (a > b ? a : b));
  const { baseCurrency, quoteCurrency } = pair.terms;
  const currency = command.orders[0]?.side === "buy" ? quoteCurrency : baseCurrency;
  if (available(venue, command.user, currency) < most) return no("balance_insufficient");
  const list = addList(venue, { command, content });
  const legs = addDormant(venue, pair, { list, command, roles: ["above", "below"] });
  freeze(venue, { user: command.user, currency, amount: most });
  list.reserved = most;
  for (const leg of legs) {
    if (isTrigger(leg.type)) beginWaiting(venue, pair, { order: leg, isLate: false });
    else restLeg(venue, leg);
  }
  return { kind: "list", list: rowOf(venue, list), orders: legs.map(copyOf), trades: [] };
}

function placeOto(venue: NaiveVenue, pair: NaivePair, { command, content }: Given): Outcome {
  const [working] = command.orders;
  if (!working) return no("list_orders_invalid");
  const order = whole(command, working);
  const plan = planOf(venue, pair, order);
  const fault = faultOf(venue, pair, { command: order, plan });
  if (fault) return no(fault);
  const list = addList(venue, { command, content });
  const join = (one: NaiveOrder) => Object.assign(addConditions(one, working), { listId: list.id, role: "working" });
  const inList = { id: list.orderIds[0] ?? 0, join };
  const placed = carryOut(venue, pair, { command: order, plan, content, inList });
  const legs = addDormant(venue, pair, {
    list,
    command,
    roles: command.list === "oto" ? ["pending"] : ["above", "below"],
  });
  const isOver = !["filled", "open", "partiallyFilled"].includes(placed.order.status);
  if (isOver) cancelWaiting(venue, list);
  return { kind: "list", list: rowOf(venue, list), orders: [placed.order, ...legs.map(copyOf)], trades: placed.trades };
}

function addList(venue: NaiveVenue, { command, content }: Given): NaiveList {
  const { user, pair, list: kind, clientListId } = command;
  const id = venue.nextNumber++;
  const orderIds = command.orders.map(() => venue.nextNumber++);
  const list: NaiveList = {
    ...{ id, user, pair, kind, clientListId, orderIds, reserved: 0n, targetProfitPpm: 0, stopLossPpm: 0 },
    ...{ boughtLots: 0, boughtValue: 0n, createdAt: venue.at },
  };
  venue.lists.push(list);
  const name = (kindOfName: string, text: string, orderId: number) => {
    if (text !== "") venue.names.push({ kind: kindOfName, user, name: text, content, orderId, at: venue.at });
  };
  name("list", clientListId, id);
  command.orders.forEach(({ clientOrderId }, place) => {
    name("order", clientOrderId, orderIds[place] ?? 0);
  });
  return list;
}

type Dormant = {
  readonly list: NaiveList;
  readonly command: PlaceList;
  readonly roles: readonly ("above" | "below" | "pending")[];
};

function addDormant(venue: NaiveVenue, pair: NaivePair, { list, command, roles }: Dormant): NaiveOrder[] {
  return command.orders.slice(-roles.length).map((order, place) => {
    const id = list.orderIds.slice(-roles.length)[place] ?? 0;
    const leg = newOrder(venue, pair, { command: whole(command, order), content: "", inList: { id } });
    leg.status = "pending";
    Object.assign(addConditions(leg, order), { phase: "dormant", listId: list.id, role: roles[place] });
    return leg;
  });
}

export function rowOf(venue: NaiveVenue, list: NaiveList) {
  return { ...list, status: membersOf(venue, list).length > 0 ? "active" : "done", dueAs: 0, updatedAt: 0 } as const;
}
