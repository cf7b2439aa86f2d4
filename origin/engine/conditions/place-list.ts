import { availableOf, type User } from "../accounts.ts";
import { firstOrder, oppositeOf } from "../book/book.ts";
import { BUY, findSlot, NONE, SELL } from "../book/order-slab.ts";
import { openRow } from "../change-log.ts";
import { roomFor, tradingFault } from "../check-order.ts";
import type { ListOrder, PlaceList } from "../command.ts";
import { isBeyond } from "../match.ts";
import { digestOfList, recall, rememberName } from "../names/command-names.ts";
import { type Outcome, type RejectCode, reject } from "../outcome.ts";
import type { Pair } from "../pairs.ts";
import { carryOut, fundedOrder } from "../place.ts";
import type { EngineState } from "../state.ts";
import type { ListRole } from "../terms.ts";
import { addPending, awaitTrigger, freeze } from "./add-order.ts";
import { isTriggerType, triggerFault, triggerReserve, triggerValueFault } from "./check-conditions.ts";
import { listFault, priceOf, wholeOrder } from "./check-list.ts";
import { addCondition, type Condition, NO_CONDITIONS } from "./condition.ts";
import { cancelLegs } from "./end-list.ts";
import { type List, listRow, touchList } from "./list.ts";
import { restLeg } from "./run-list.ts";

type Placing = { readonly command: PlaceList; readonly user: User | undefined; readonly pair: Pair };

/** All checks come first; then all orders of the list are accepted together. */
export function placeList(state: EngineState, command: PlaceList): Outcome {
  const malformed = listFault(command, state.at);
  if (malformed !== undefined) return reject(malformed);
  const user = state.users.byName.get(command.user);
  const known = user === undefined ? undefined : recallList(state, command, user);
  if (known !== undefined) return known;
  const pair = state.pairs.byName.get(command.pair);
  if (pair === undefined) return reject("pair_unknown");
  const placing = { command, user, pair };
  const fault = faultOf(state, placing);
  if (fault !== undefined) return reject(fault);
  return command.list === "oco" ? placePair(state, placing) : placeWorking(state, placing);
}

/** The list's own name decides; without one, the first name of an order that is known. */
function recallList(state: EngineState, command: PlaceList, user: User): Outcome | undefined {
  const digest = digestOfList(command);
  const { clientListId } = command;
  const byList = clientListId === "" ? undefined : recall(state, { kind: "list", user, name: clientListId, digest });
  if (byList !== undefined) return byList;
  for (const { clientOrderId: name } of command.orders) {
    const known = name === "" ? undefined : recall(state, { kind: "order", user, name, digest });
    if (known !== undefined) return known;
  }
  return undefined;
}

function faultOf(state: EngineState, { command, user, pair }: Placing): RejectCode | undefined {
  const { orders, openOrdersMax, clientListId } = command;
  const fault = tradingFault(command, { pair, user });
  if (fault !== undefined) return fault;
  // Its orders depend on trades, which an auction does not make.
  if (pair.terms.state === "auction") return "auction_order_unsupported";
  const isPair = command.list === "oco";
  // The working order has its own checks.
  for (const order of isPair ? orders : orders.slice(1)) {
    const inList = (isPair ? marketFault(state, pair, order) : undefined) ?? sizeFault(order, pair);
    if (inList !== undefined) return inList;
  }
  const trailing = orders.filter(({ conditions }) => (conditions?.trailingBps ?? 0) > 0).length;
  if (trailing > 0 && pair.triggers.trailing + trailing > state.bounds.trailingMax) return "trailing_orders_limit";
  const names = [clientListId, ...orders.map(({ clientOrderId }) => clientOrderId)].filter((name) => name !== "");
  return roomFor(state, { user, orders: orders.length, openOrdersMax, names: names.length });
}

/** A market order by lots has a value only together with the book. */
const sizeFault = (order: ListOrder, pair: Pair) =>
  order.type === "market" ? undefined : triggerValueFault(order, pair);

/** Each order must be on its side of the last price, and must not trade or run at once. */
function marketFault(state: EngineState, pair: Pair, order: ListOrder): RejectCode | undefined {
  if (isTriggerType(order.type)) return triggerFault(order, pair);
  const side = order.side === "buy" ? BUY : SELL;
  const first = firstOrder(oppositeOf(pair.book, side));
  const isFree = first === NONE || isBeyond({ side, limitTicks: order.ticks }, state.orders.ticks[first] as number);
  if (!isFree) return "post_only_would_trade";
  if (pair.lastTicks === 0) return undefined;
  const isOnItsSide = side === BUY ? priceOf(order) < pair.lastTicks : priceOf(order) > pair.lastTicks;
  return isOnItsSide ? undefined : "list_prices_invalid";
}

/** Both share one reservation: the larger need. */
function placePair(state: EngineState, { command, user, pair }: Placing): Outcome {
  const needs = command.orders.map((order) => triggerReserve(order, pair));
  const need = needs.reduce((most, one) => (one > most ? one : most), 0n);
  const pays = command.orders[0]?.side === "buy" ? pair.quote : pair.base;
  if (user === undefined || availableOf(state.accounts, user, pays) < need) return reject("balance_insufficient");
  const list = addList(state, { command, user, pair });
  rememberNames(state, list, command);
  const legs = addOrders(state, list, { orders: command.orders, roles: ["above", "below"] });
  for (const { slot } of legs.slice(0, 1)) freeze(state, state.orders.pays[slot] as number, need);
  list.reserved = need;
  for (const leg of legs) {
    if (isTriggerType(leg.type)) awaitTrigger(state, pair, leg);
    else restLeg(state, leg);
  }
  const orders = legs.map(({ slot }) => openRow(state, slot));
  return { kind: "list", list: listRow(list), orders, trades: [] };
}

/** The others wait for the working order, without funds of their own. */
function placeWorking(state: EngineState, { command, user, pair }: Placing): Outcome {
  const [working, ...later] = command.orders;
  if (working === undefined) return reject("list_orders_invalid");
  const funded = fundedOrder(state, { command: wholeOrder(command, working), user, pair });
  if (typeof funded === "string") return reject(funded);
  const list = addList(state, { command, user: funded.user, pair });
  rememberNames(state, list, command);
  const placed = carryOut(state, funded, {
    orderId: list.orderIds[0] ?? 0,
    join: (slot) => joinList(state, { slot, list, working }),
  });
  const roles: readonly ListRole[] = command.list === "oto" ? ["pending"] : ["above", "below"];
  const legs = addOrders(state, list, { orders: later, roles });
  const isOver = findSlot(state.index, placed.order.id) === NONE && placed.order.status !== "filled";
  const rows = isOver ? cancelLegs(state, list) : legs.map(({ slot }) => openRow(state, slot));
  return { kind: "list", list: listRow(list), orders: [placed.order, ...rows], trades: placed.trades };
}

type NewList = { readonly command: PlaceList; readonly user: User; readonly pair: Pair };

/** Its orders have the numbers after its own. */
function addList(state: EngineState, { command, user, pair }: NewList): List {
  const id = state.nextOrderId++;
  const orderIds = command.orders.map(() => state.nextOrderId++);
  const list: List = {
    ...{ id, user, pair, kind: command.list, clientListId: command.clientListId, orderIds, reserved: 0n, as: 0 },
    ...{ targetProfitPpm: 0, stopLossPpm: 0, boughtLots: 0, boughtValue: 0n },
    ...{ createdAt: state.at, updatedAt: state.at, live: orderIds.length, isTouched: false },
  };
  touchList(state, list);
  return list;
}

function rememberNames(state: EngineState, { user, id, orderIds }: List, command: PlaceList): void {
  const digest = digestOfList(command);
  const { clientListId } = command;
  if (clientListId !== "") rememberName(state, { kind: "list", user, name: clientListId, digest, orderId: id });
  for (const [place, { clientOrderId: name }] of command.orders.entries())
    if (name !== "") rememberName(state, { kind: "order", user, name, digest, orderId: orderIds[place] ?? 0 });
}

type NewOrders = { readonly orders: readonly ListOrder[]; readonly roles: readonly ListRole[] };

function addOrders(state: EngineState, list: List, { orders, roles }: NewOrders): readonly Condition[] {
  const { user, pair } = list;
  const ids = list.orderIds.slice(-orders.length);
  return orders.map((order, place) => {
    const condition = addPending(state, { id: ids[place] ?? 0, user, pair, order });
    return Object.assign(condition, { list, listId: list.id, role: roles[place] });
  });
}

type Joining = { readonly slot: number; readonly list: List; readonly working: ListOrder };

function joinList(state: EngineState, { slot, list, working }: Joining): void {
  const { type, timeInForce, quoteAmount, selfTrade, ticks: limitTicks, conditions = NO_CONDITIONS } = working;
  const condition = addCondition(state, {
    ...{ slot, type, timeInForce, quoteAmount, selfTrade, limitTicks, conditions },
    phase: "placed",
  });
  Object.assign(condition, { list, listId: list.id, role: "working" });
}
