import { accountOf, availableOf, touchAccount, type User } from "./accounts.ts";
import { auctionTicks, noteOnOpen } from "./auction/place-in-auction.ts";
import { firstOrder, oppositeOf } from "./book/book.ts";
import { endOrder, openOrder, reservationOf } from "./book/open-orders.ts";
import { BUY, findSlot, NONE, nameSlot, SELL, takeSlot, wordOf } from "./book/order-slab.ts";
import { keepRow, openRow, touchOrder } from "./change-log.ts";
import type { OrderRow, TradeRow } from "./changes.ts";
import { isWellFormed, limitTicksOf, orderFault, type Placing } from "./check-order.ts";
import type { PlaceOrder } from "./command.ts";
import { quantityOf, valueAt } from "./exact.ts";
import { isBeyond, isOwn, lotsWanted, matchOrder, previewSweep, type Stop } from "./match.ts";
import { countName, digestOf, HOUR_MS, isRemembered, lookUp, referenceRow, remember } from "./names/references.ts";
import { type Outcome, type RejectCode, reject } from "./outcome.ts";
import type { EngineState } from "./state.ts";
import type { CancelReason } from "./terms.ts";

/** All checks come first; then the funds are frozen; then the order trades; its rest goes to the book or ends. */
export function placeOrder(state: EngineState, command: PlaceOrder): Outcome {
  if (!isWellFormed(command)) return reject("command_invalid");
  const user = state.users.byName.get(command.user);
  const known = user === undefined || command.clientOrderId === "" ? undefined : recallOrder(state, command, user);
  if (known !== undefined) return known;
  const pair = state.pairs.byName.get(command.pair);
  if (pair === undefined) return reject("pair_unknown");
  if (pair.terms.state === "auction") return placeInAuction(state, { command, pair, user });
  const placing = placingOf(state, { command, pair, user });
  const fault = orderFault(state, placing);
  if (fault !== undefined) return reject(fault);
  const reserve = reserveFor(state, placing);
  if (typeof reserve === "string") return reject(reserve);
  placing.reserve = reserve;
  return isFunded(state, placing) ? carryOut(state, placing) : reject("balance_insufficient");
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

/**
 * A repetition is answered with the first outcome. The name of an open order stands for that order, however old it is.
 */
function recallOrder(state: EngineState, command: PlaceOrder, user: User): Outcome | undefined {
  const reference = lookUp(state.references, { user, kind: "order", name: command.clientOrderId, at: state.at });
  if (reference === undefined) return undefined;
  if (isRemembered(reference, state.at)) {
    const isSame = reference.digest === digestOfOrder(command);
    return isSame ? { kind: "repetition", orderId: reference.orderId } : reject("client_order_id_reused");
  }
  return findSlot(state.index, reference.orderId) === NONE ? undefined : reject("client_order_id_reused");
}

function digestOfOrder(order: PlaceOrder): string {
  const { pair, grid, side, type, ticks, lots, quoteAmount, timeInForce, postOnly, selfTrade } = order;
  return digestOf([pair, grid, side, type, ticks, lots, quoteAmount, timeInForce, postOnly, selfTrade]);
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
    userIndex: user === undefined ? NONE : user.index,
    selfTrade: command.selfTrade,
    limitTicks: limitTicksOf(command, pair),
    lots: lotsWanted(command.lots),
    quoteAmount: command.quoteAmount,
    fillsMax: bounds.fillsMax,
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
  const { lots, value, stop } = previewSweep(state.orders, placing);
  if (command.timeInForce === "FOK" && stop !== "" && stop !== "fundsSpent") return "fill_or_kill_unfillable";
  const isWithoutEffect = lots === 0 && !(stop === "selfTrade" && command.selfTrade === "cancelBoth");
  if (isWithoutEffect) return rejectCodes[stop];
  return side === BUY ? value : quantityOf(pair, lots);
}

/** Why a market order would have no effect. */
const rejectCodes: Readonly<Record<Stop, RejectCode>> = {
  "": "no_liquidity",
  book: "no_liquidity",
  limit: "price_outside_band",
  selfTrade: "self_trade",
  tooManyFills: "no_liquidity",
  fundsSpent: "value_below_minimum",
};

function carryOut(state: EngineState, placing: Funded): Outcome {
  const { log } = state;
  const slot = reserveOrder(state, placing);
  const tradesBefore = log.trades.length;
  const stop = matchOrder(state, placing, slot);
  const order = finish(state, placing, { slot, stop });
  const trades = log.trades.length === tradesBefore ? NO_TRADES : log.trades.slice(tradesBefore);
  return { kind: "order", order, trades };
}

/** Writes and names the order, and freezes its funds. */
function reserveOrder(state: EngineState, placing: Funded): number {
  const { command, user, reserve } = placing;
  const { accounts } = state;
  const slot = writeOrder(state, placing);
  if (command.clientOrderId !== "")
    rememberOrder(state, { command, user, orderId: state.orders.id[wordOf(slot)] as number });
  const account = state.orders.pays[slot] as number;
  accounts.available[account] = (accounts.available[account] as bigint) - reserve;
  accounts.frozen[account] = (accounts.frozen[account] as bigint) + reserve;
  touchAccount(accounts, account);
  return slot;
}

const NO_TRADES: readonly TradeRow[] = [];

function writeOrder(state: EngineState, { command, user, pair, side }: Funded): number {
  const { orders, accounts } = state;
  const slot = takeSlot(orders);
  const base = accountOf(accounts, user, pair.base);
  const quote = accountOf(accounts, user, pair.quote);
  orders.id[wordOf(slot)] = state.nextOrderId++;
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

type Named = { readonly command: PlaceOrder; readonly user: User; readonly orderId: number };

function rememberOrder(state: EngineState, { command, user, orderId }: Named): void {
  const digest = digestOfOrder(command);
  const reference = {
    kind: "order",
    user,
    name: command.clientOrderId,
    digest,
    orderId,
    at: state.at,
    isHeld: true,
  } as const;
  remember(state.references, reference, state.index);
  const hour = Math.floor(state.at / HOUR_MS);
  state.log.references.push(referenceRow(reference, countName(user, { hour, firstHour: state.references.firstHour })));
}

type Matched = { readonly slot: number; readonly stop: Stop };

/**
 * The rest of the order goes to the book or ends, and funds that it no longer needs are released: a better price than
 * its own is refunded here.
 */
function finish(state: EngineState, { command, pair, side, reserve }: Funded, { slot, stop }: Matched): OrderRow {
  const { orders, accounts } = state;
  const rests = command.type === "limit" && command.timeInForce === "GTC" && (stop === "book" || stop === "limit");
  if (!(rests && orders.filledLots[wordOf(slot)] === 0)) {
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
  return restOpen(state, slot);
}

function restOpen(state: EngineState, slot: number): OrderRow {
  openOrder(state, slot);
  touchOrder(state, slot);
  const row = openRow(state, slot);
  keepRow(state, { slot, row });
  return row;
}

function cancelReasonOf({ type }: PlaceOrder, stop: Stop): CancelReason {
  if (stop !== "book" && stop !== "limit") return stop;
  if (type === "limit") return "immediateOrCancel";
  return stop === "book" ? "noLiquidity" : "priceBand";
}
