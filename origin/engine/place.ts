import { accountOf, availableOf, touchAccount, type User } from "./accounts.ts";
import { auctionTicks, noteOnOpen } from "./auction/place-in-auction.ts";
import { firstOrder, oppositeOf } from "./book/book.ts";
import { endOrder, openOrder, reservationOf } from "./book/open-orders.ts";
import { BUY, NONE, nameSlot, SELL, takeSlot, wordOf } from "./book/order-slab.ts";
import { keepRow, openRow, touchOrder } from "./change-log.ts";
import type { OrderRow, TradeRow } from "./changes.ts";
import { exitOrdersOf, isWellFormed, limitTicksOf, orderFault, type Placing, restsFor } from "./check-order.ts";
import type { PlaceOrder } from "./command.ts";
import { conditionsFault, isTriggerType } from "./conditions/check-conditions.ts";
import { addCondition, conditionOf, NO_CONDITIONS } from "./conditions/condition.ts";
import { addExitOrders, beginExit } from "./conditions/exit.ts";
import type { List } from "./conditions/list.ts";
import { placeTrigger } from "./conditions/place-trigger.ts";
import { setTimer } from "./conditions/timers.ts";
import { reachAfterSweep } from "./conditions/triggers.ts";
import { quantityOf, valueAt } from "./exact.ts";
import { isBeyond, isOwn, lotsWanted, matchOrder, noteShrunk, previewSweep, type Stop } from "./match.ts";
import { digestOfOrder, recallOrder, rememberName } from "./names/command-names.ts";
import { type Outcome, type RejectCode, reject } from "./outcome.ts";
import type { EngineState } from "./state.ts";
import type { CancelReason } from "./terms.ts";

/** All checks come first; then the funds are frozen; then the order trades; its rest goes to the book or ends. */
export function placeOrder(state: EngineState, command: PlaceOrder): Outcome {
  const malformed = malformation(state, command);
  if (malformed !== undefined) return reject(malformed);
  const user = state.users.byName.get(command.user);
  const known = user === undefined || command.clientOrderId === "" ? undefined : recallOrder(state, command, user);
  if (known !== undefined) return known;
  const pair = state.pairs.byName.get(command.pair);
  if (pair === undefined) return reject("pair_unknown");
  if (isTriggerType(command.type)) return placeTrigger(state, { command, user, pair });
  if (pair.terms.state === "auction") return placeInAuction(state, { command, pair, user });
  const funded = fundedOrder(state, { command, pair, user });
  return typeof funded === "string" ? reject(funded) : carryOut(state, funded);
}

/** The order with the amount to freeze, or the first reason to reject it. Nothing has changed. */
export function fundedOrder(
  state: EngineState,
  given: Pick<Placing, "command" | "pair" | "user">,
): Funded | RejectCode {
  const placing = placingOf(state, given);
  const fault = orderFault(state, placing);
  if (fault !== undefined) return fault;
  const reserve = reserveFor(state, placing);
  if (typeof reserve === "string") return reserve;
  placing.reserve = reserve;
  return isFunded(state, placing) ? placing : "balance_insufficient";
}

function malformation(state: EngineState, command: PlaceOrder): RejectCode | undefined {
  if (command.conditions !== undefined) return conditionsFault(command, state.at);
  return isWellFormed(command) ? undefined : "command_invalid";
}

/** It rests at its price, whatever is on the other side (`auction/place-in-auction.ts`). */
function placeInAuction(state: EngineState, given: Pick<Placing, "command" | "pair" | "user">): Outcome {
  const { command, pair } = given;
  const ticks = auctionTicks(state, given);
  if (typeof ticks === "string") return reject(ticks);
  const placing = placingOf(state, given);
  const { lots } = command;
  placing.reserve = placing.side === BUY ? valueAt(pair, { ticks, lots }) : quantityOf(pair, lots);
  if (!isFunded(state, placing)) return reject("balance_insufficient");
  const slot = reserveOrder(state, placing);
  state.orders.ticks[slot] = ticks;
  noteOnOpen(pair, state.orders.id[wordOf(slot)] as number, command);
  return { kind: "order", order: restOpen(state, slot), trades: NO_TRADES };
}

type Funded = Placing & { readonly user: User };

function isFunded({ accounts }: EngineState, placing: Placing): placing is Funded {
  const { user, side, pair, reserve } = placing;
  return user !== undefined && availableOf(accounts, user, side === BUY ? pair.quote : pair.base) >= reserve;
}

function placingOf(
  { bounds }: EngineState,
  { command, pair, user }: Pick<Placing, "command" | "pair" | "user">,
): Placing {
  return {
    command,
    user,
    pair,
    side: command.side === "buy" ? BUY : SELL,
    userIndex: user === undefined || command.selfTrade === "none" ? NONE : user.index,
    selfTrade: command.selfTrade,
    limitTicks: limitTicksOf(command, pair),
    lots: lotsWanted(command.lots),
    quoteAmount: command.quoteAmount,
    fillsMax: bounds.fillsMax,
    preventedLots: 0,
    preventedValue: 0n,
    reserve: 0n,
  };
}

/** The amount to freeze before the order may trade, or the reason in the book to reject it. */
function reserveFor(state: EngineState, placing: Placing): bigint | RejectCode {
  const { command, pair, side } = placing;
  if (command.type === "market" || command.timeInForce === "FOK") return reserveBySweep(state, placing);
  const first = firstOrder(oppositeOf(pair.book, side));
  const isCrossing = first !== NONE && !isBeyond(placing, state.orders.ticks[first] as number);
  if (isCrossing && command.postOnly) return "post_only_would_trade";
  if (isCrossing && command.selfTrade === "cancelNewest" && isOwn(state.orders, placing, first)) return "self_trade";
  return side === BUY ? valueAt(pair, command) : quantityOf(pair, command.lots);
}

/** An order that cannot rest freezes exactly the amount that it will pay. */
function reserveBySweep(state: EngineState, placing: Placing): bigint | RejectCode {
  const { command, pair, side } = placing;
  const first = firstOrder(oppositeOf(pair.book, side));
  if (command.type === "market") {
    if (first === NONE) return "no_liquidity";
    const bestValue = valueAt(pair, { ticks: state.orders.ticks[first] as number, lots: command.lots });
    if (command.lots > 0 && bestValue < pair.terms.valueStepsMin) return "value_below_minimum";
  }
  const { lots, value, stop } = previewSweep(state, placing);
  if (command.timeInForce === "FOK" && stop !== "" && stop !== "fundsSpent") return "fill_or_kill_unfillable";
  const isWithoutEffect = lots === 0 && !(stop === "selfTrade" && hasEffectOnOwn(command));
  if (isWithoutEffect) return rejectCodes[stop];
  return side === BUY ? value : quantityOf(pair, lots);
}

/** The user's own order in the book is cancelled, or shrinks. */
const hasEffectOnOwn = ({ selfTrade }: PlaceOrder) => selfTrade === "cancelBoth" || selfTrade === "decrement";

/** Why a market order would have no effect. */
const rejectCodes: Readonly<Record<Stop, RejectCode>> = {
  "": "no_liquidity",
  book: "no_liquidity",
  limit: "price_outside_band",
  selfTrade: "self_trade",
  tooManyFills: "no_liquidity",
  fundsSpent: "value_below_minimum",
};

/** The working order of a list has its number already, its names are the list's, and it joins before it trades. */
type Working = { readonly orderId: number; readonly join: (slot: number) => void };

export function carryOut(state: EngineState, placing: Funded, working?: Working): Outcome & { kind: "order" } {
  const { command } = placing;
  const { log } = state;
  const listId = isFollowed(command) ? state.nextOrderId++ : 0;
  const slot = reserveOrder(state, placing, working);
  const exit =
    working === undefined && command.conditions !== undefined
      ? addConditions(state, placing, { slot, listId })
      : undefined;
  const tradesBefore = log.trades.length;
  const stop = matchOrder(state, placing, slot);
  const order = finish(state, placing, { slot, stop });
  if (exit !== undefined) addExitOrders(state, exit, command);
  if (log.trades.length === tradesBefore) return { kind: "order", order, trades: NO_TRADES };
  const trades = log.trades.slice(tradesBefore);
  state.workLeft -= trades.length;
  reachAfterSweep(state, placing.pair, trades[0]?.ticks ?? 0);
  return { kind: "order", order, trades };
}

/** Writes and names the order, and freezes its funds. */
function reserveOrder(state: EngineState, placing: Funded, working?: Working): number {
  const { command, user, reserve } = placing;
  const { accounts } = state;
  const orderId = working === undefined ? state.nextOrderId++ : working.orderId;
  const slot = writeOrder(state, placing, orderId);
  if (working !== undefined) working.join(slot);
  else if (command.clientOrderId !== "")
    rememberName(state, { kind: "order", user, name: command.clientOrderId, digest: digestOfOrder(command), orderId });
  const account = state.orders.pays[slot] as number;
  accounts.available[account] = (accounts.available[account] as bigint) - reserve;
  accounts.frozen[account] = (accounts.frozen[account] as bigint) + reserve;
  touchAccount(accounts, account);
  return slot;
}

const NO_TRADES: readonly TradeRow[] = [];

const isFollowed = ({ conditions }: PlaceOrder) => conditions !== undefined && exitOrdersOf(conditions) > 0;

/** Of an order with an expiry, or of a buy that sell orders follow: then their list. */
function addConditions(
  state: EngineState,
  { command, user, pair }: Funded,
  { slot, listId }: { readonly slot: number; readonly listId: number },
): List | undefined {
  const { type, timeInForce, quoteAmount, selfTrade, ticks, conditions } = command;
  if (listId !== 0) return beginExit(state, { command, user, pair, slot, listId });
  if (conditions !== undefined)
    addCondition(state, {
      slot,
      type,
      timeInForce,
      quoteAmount,
      selfTrade,
      limitTicks: ticks,
      phase: "placed",
      conditions,
    });
  return undefined;
}

function writeOrder(state: EngineState, { command, user, pair, side }: Funded, orderId: number): number {
  const { orders, accounts } = state;
  const slot = takeSlot(orders);
  const base = accountOf(accounts, user, pair.base);
  const quote = accountOf(accounts, user, pair.quote);
  orders.id[wordOf(slot)] = orderId;
  orders.user[slot] = user.index;
  orders.pair[slot] = pair.index;
  orders.side[slot] = side;
  orders.postOnly[slot] = command.postOnly ? 1 : 0;
  orders.ticks[slot] = command.ticks;
  orders.lots[wordOf(slot)] = command.lots;
  orders.filledLots[wordOf(slot)] = 0;
  orders.filledValue[wordOf(slot)] = 0n;
  orders.feePaid[wordOf(slot)] = 0n;
  orders.createdAt[wordOf(slot)] = state.at;
  orders.updatedAt[wordOf(slot)] = state.at;
  nameSlot(orders, { slot, name: command.clientOrderId });
  orders.pays[slot] = side === BUY ? quote : base;
  orders.receives[slot] = side === BUY ? base : quote;
  return slot;
}

type Matched = { readonly slot: number; readonly stop: Stop };

/**
 * The rest of the order goes to the book or ends, and funds that it no longer needs are released: a better price than
 * its own is refunded here.
 */
function finish(state: EngineState, placing: Funded, { slot, stop }: Matched): OrderRow {
  const { command, pair, side, reserve } = placing;
  const { orders, accounts } = state;
  const rests = command.type === "limit" && restsFor(command.timeInForce) && (stop === "book" || stop === "limit");
  if (placing.preventedLots > 0) notePrevented(state, placing, { slot, rests });
  if (!(rests && orders.filledLots[wordOf(slot)] === 0 && placing.preventedLots === 0)) {
    const paid =
      side === BUY
        ? (orders.filledValue[wordOf(slot)] as bigint)
        : quantityOf(pair, orders.filledLots[wordOf(slot)] as number);
    const released = reserve - paid - (rests ? reservationOf(state, slot) : 0n);
    const account = orders.pays[slot] as number;
    accounts.frozen[account] = (accounts.frozen[account] as bigint) - released;
    accounts.available[account] = (accounts.available[account] as bigint) + released;
  }
  if (!rests) {
    const cancelReason = cancelReasonOf(command, stop);
    const status = cancelReason === "" || cancelReason === "fundsSpent" ? "filled" : "cancelled";
    return endOrder(state, { slot, kind: command, status, cancelReason });
  }
  if (command.conditions !== undefined) startExpiry(state, slot);
  return restOpen(state, slot);
}

function restOpen(state: EngineState, slot: number): OrderRow {
  openOrder(state, slot);
  touchOrder(state, slot);
  const row = openRow(state, slot);
  keepRow(state, { slot, row });
  return row;
}

/** An order that rests has fewer lots from now on; of one that ends it is only noted. */
function notePrevented(
  state: EngineState,
  { command, preventedLots }: Funded,
  { slot, rests }: { readonly slot: number; readonly rests: boolean },
): void {
  const { type, timeInForce, quoteAmount, selfTrade, ticks: limitTicks } = command;
  const condition =
    conditionOf(state, slot) ??
    addCondition(state, {
      slot,
      type,
      timeInForce,
      quoteAmount,
      selfTrade,
      limitTicks,
      phase: "placed",
      conditions: NO_CONDITIONS,
    });
  if (rests) noteShrunk(state, { slot, lots: preventedLots });
  else condition.preventedLots += preventedLots;
}

function startExpiry(state: EngineState, slot: number): void {
  const expiry = conditionOf(state, slot)?.expiry;
  if (expiry !== undefined) setTimer(state.timers, expiry, expiry.dueAt);
}

function cancelReasonOf({ type }: PlaceOrder, stop: Stop): CancelReason {
  if (stop !== "book" && stop !== "limit") return stop;
  if (type === "limit") return "immediateOrCancel";
  return stop === "book" ? "noLiquidity" : "priceBand";
}
