import { takeTouchedBalances, type User, userRow } from "./accounts.ts";
import type { AuctionRow } from "./auction/auction.ts";
import { NONE, nameOf, SIDES, wordOf } from "./book/order-slab.ts";
import type { Changes, MovementRow, OrderRow, ReferenceRow, TradeRow } from "./changes.ts";
import type { Nonce, PlaceOrder } from "./command.ts";
import { type Condition, conditionOf, conditionRow, isPending } from "./conditions/condition.ts";
import { type List, listRow } from "./conditions/list.ts";
import { type Currency, currencyRow, type Pair, pairRow } from "./pairs.ts";
import type { EngineState } from "./state.ts";
import type { CancelReason, OrderSide, OrderStatus } from "./terms.ts";

/** Everything touched since the changes were last taken, each thing once. */
export type ChangeLog = {
  /** The touched orders' slots (`NONE` for closed ones), and their rows as far as they exist already. */
  orderSlots: number[];
  orderRows: (OrderRow | null)[];
  trades: TradeRow[];
  movements: MovementRow[];
  currencies: Currency[];
  pairs: Pair[];
  users: User[];
  references: ReferenceRow[];
  lists: List[];
  nonces: Nonce[];
  auctions: AuctionRow[];
};

export function createChangeLog(): ChangeLog {
  return {
    orderSlots: [],
    orderRows: [],
    trades: [],
    movements: [],
    currencies: [],
    pairs: [],
    users: [],
    references: [],
    lists: [],
    nonces: [],
    auctions: [],
  };
}

/** The row is made on demand; an earlier one is outdated. */
export function touchOrder({ log, orders }: EngineState, slot: number): void {
  const position = orders.touchedAt[slot] as number;
  if (position !== NONE) {
    log.orderRows[position] = null;
    return;
  }
  orders.touchedAt[slot] = log.orderSlots.length;
  log.orderSlots.push(slot);
  log.orderRows.push(null);
}

/** An outcome has just made the row: the changes reuse it. */
export function keepRow(
  { log, orders }: EngineState,
  { slot, row }: { readonly slot: number; readonly row: OrderRow },
): void {
  log.orderRows[orders.touchedAt[slot] as number] = row;
}

/** The slot is about to be reused. */
export function keepLastRow(
  { log, orders }: EngineState,
  { slot, row }: { readonly slot: number; readonly row: OrderRow },
): void {
  const position = orders.touchedAt[slot] as number;
  if (position === NONE) {
    log.orderSlots.push(NONE);
    log.orderRows.push(row);
    return;
  }
  log.orderSlots[position] = NONE;
  log.orderRows[position] = row;
  orders.touchedAt[slot] = NONE;
}

export function touch<Thing extends { isTouched: boolean }>(touched: Thing[], thing: Thing): void {
  if (thing.isTouched) return;
  thing.isTouched = true;
  touched.push(thing);
}

export function takeChanges(state: EngineState): Changes {
  const { log, at, nextOrderId, nextTradeId } = state;
  const changes: Changes = {
    at,
    nextOrderId,
    nextTradeId,
    orders: takeOrderRows(state),
    trades: log.trades,
    balances: takeTouchedBalances(state.accounts),
    movements: log.movements,
    currencies: log.currencies.map(currencyRow),
    pairs: log.pairs.map(pairRow),
    users: log.users.map(userRow),
    references: log.references,
    ...(log.lists.length === 0 ? {} : { lists: log.lists.map(listRow) }),
    nonces: log.nonces,
    ...(log.auctions.length === 0 ? {} : { auctions: log.auctions }),
  };
  for (const thing of [...log.currencies, ...log.pairs, ...log.users, ...log.lists]) thing.isTouched = false;
  state.log = createChangeLog();
  return changes;
}

function takeOrderRows(state: EngineState): readonly OrderRow[] {
  const { orderSlots, orderRows } = state.log;
  const rows: OrderRow[] = [];
  for (let position = 0; position < orderSlots.length; position++) {
    const slot = orderSlots[position] as number;
    const row = orderRows[position] ?? openRow(state, slot);
    if (slot !== NONE) state.orders.touchedAt[slot] = NONE;
    rows.push(row);
  }
  return rows;
}

/** The row of an open or pending order. */
export function openRow(state: EngineState, slot: number): OrderRow {
  const condition = conditionOf(state, slot);
  const resting = state.orders.filledLots[wordOf(slot)] === 0 ? "open" : "partiallyFilled";
  const status = condition !== undefined && isPending(condition) ? "pending" : resting;
  const pair = state.pairs.all[state.orders.pair[slot] as number] as Pair;
  const kind = restingKind(pair, state.orders.id[wordOf(slot)] as number);
  return orderRow(state, { slot, kind, status, cancelReason: "" });
}

/**
 * The properties of an order that the slab does not hold: every resting order without conditions is a limit order, good
 * till cancelled, except those that wait only for the opening of an auction.
 */
export type OrderKind = Pick<PlaceOrder, "type" | "timeInForce" | "quoteAmount">;
export const RESTING: OrderKind = { type: "limit", timeInForce: "GTC", quoteAmount: 0n };

export const restingKind = ({ onOpen }: Pair, id: number): OrderKind =>
  onOpen.size === 0 ? RESTING : (onOpen.get(id) ?? RESTING);

export type End = {
  readonly slot: number;
  readonly kind: OrderKind;
  readonly status: OrderStatus;
  readonly cancelReason: CancelReason;
};

export function orderRow(state: EngineState, end: End): OrderRow {
  const condition = conditionOf(state, end.slot);
  return condition === undefined ? plainRow(state, end) : conditionalRow(state, { end, condition });
}

function conditionalRow(
  state: EngineState,
  { end, condition }: { readonly end: End; readonly condition: Condition },
): OrderRow {
  const row = plainRow(state, { ...end, kind: condition });
  return { ...row, ticks: condition.limitTicks, conditions: conditionRow(condition) };
}

function plainRow({ orders, users, pairs }: EngineState, { slot, kind, status, cancelReason }: End): OrderRow {
  const filledLots = orders.filledLots[wordOf(slot)] as number;
  const pair = pairs.all[orders.pair[slot] as number] as Pair;
  return {
    id: orders.id[wordOf(slot)] as number,
    user: (users.all[orders.user[slot] as number] as User).name,
    pair: pair.name,
    grid: pair.grid,
    side: SIDES[orders.side[slot] as number] as OrderSide,
    type: kind.type,
    timeInForce: kind.timeInForce,
    postOnly: orders.postOnly[slot] === 1,
    ticks: orders.ticks[slot] as number,
    lots: orders.lots[wordOf(slot)] as number,
    quoteAmount: kind.quoteAmount,
    filledLots,
    // A zero that is read from memory is allocated, and most orders have only zeros.
    filledValue: filledLots === 0 ? 0n : (orders.filledValue[wordOf(slot)] as bigint),
    feePaid: filledLots === 0 ? 0n : (orders.feePaid[wordOf(slot)] as bigint),
    status,
    cancelReason,
    clientOrderId: nameOf(orders, slot),
    createdAt: orders.createdAt[wordOf(slot)] as number,
    updatedAt: orders.updatedAt[wordOf(slot)] as number,
  };
}
