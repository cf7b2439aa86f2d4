import { type Accounts, accountOf, touchAccount } from "./accounts.ts";
import { firstOrder, nextOrder, oppositeOf } from "./book/book.ts";
import { endOrder, ownerOf, release, reservationOf, withdrawOrder } from "./book/open-orders.ts";
import { BUY, NONE, type OrderSlab, remainingLots, wordOf } from "./book/order-slab.ts";
import { RESTING, touch, touchOrder } from "./change-log.ts";
import { conditionFor, conditionOf } from "./conditions/condition.ts";
import { cancelWithList } from "./conditions/end-list.ts";
import { afterTrade } from "./conditions/list-trades.ts";
import { feeOf, lotsFor, quantityOf, valueAt } from "./exact.ts";
import { LOTS_MAX } from "./limits.ts";
import type { Pair } from "./pairs.ts";
import type { EngineState } from "./state.ts";
import type { SelfTrade } from "./terms.ts";

/** Trades an order, whose funds are frozen, with the best orders of the other side until something stops it. */
export function matchOrder(state: EngineState, sweep: Sweep, taker: number): Stop {
  const { orders } = state;
  const ladder = oppositeOf(sweep.pair.book, sweep.side);
  for (let met = 0; ; met++) {
    const maker = firstOrder(ladder);
    const lots = (orders.filledLots[wordOf(taker)] as number) + sweep.preventedLots;
    const value = valueUsed(orders, sweep, taker);
    const stop = stopBefore(orders, sweep, { maker, met, lots, value });
    if (stop !== "go") return stop;
    if (isOwn(orders, sweep, maker)) {
      const prevented = preventTrade(state, sweep, { maker, lots, value });
      if (prevented === "go") continue;
      return prevented;
    }
    const taken = lotsToTake(orders, sweep, { maker, lots, value });
    const isAll = taken === remainingLots(orders, maker);
    if (taken > 0) trade(state, sweep, { taker, maker, lots: taken });
    if (!isAll) return stopWithin(sweep, { lots: lots + taken, value: valueUsed(orders, sweep, taker) });
  }
}

/** By trades, and by lots that would have traded with the same user's. */
function valueUsed(orders: OrderSlab, sweep: Sweep, taker: number): bigint {
  return plusPrevented(sweep, orders.filledValue[wordOf(taker)] as bigint);
}

type Prevented = Pick<Sweep, "preventedLots" | "preventedValue">;

const plusPrevented = ({ preventedLots, preventedValue }: Prevented, value: bigint): bigint =>
  preventedLots === 0 ? value : value + preventedValue;

function preventTrade(state: EngineState, sweep: Sweep, meeting: Omit<Progress, "met">): Stop | "go" {
  if (shrinks(state, sweep, meeting.maker)) {
    if (decrement(state, sweep, meeting)) return "go";
    return sweep.preventedLots > 0 ? "selfTrade" : "fundsSpent";
  }
  cancelWithList(state, { slot: meeting.maker, reason: "selfTrade" });
  return sweep.selfTrade === "cancelBoth" ? "selfTrade" : "go";
}

/** Whether both orders shrink instead of one being cancelled. The orders of a list must agree: they never shrink. */
function shrinks(state: EngineState, { selfTrade }: Sweep, maker: number): boolean {
  return selfTrade === "decrement" && conditionOf(state, maker)?.list === undefined;
}

/** Both shrink by the smaller one; whether the order in the book was that. */
function decrement(state: EngineState, sweep: Sweep, { maker, lots, value }: Omit<Progress, "met">): boolean {
  const { orders } = state;
  const prevented = lotsToTake(orders, sweep, { maker, lots, value });
  sweep.preventedLots += prevented;
  sweep.preventedValue += valueAt(sweep.pair, { ticks: orders.ticks[maker] as number, lots: prevented });
  if (prevented === remainingLots(orders, maker)) {
    cancelWithList(state, { slot: maker, reason: "selfTrade" });
    return true;
  }
  if (prevented > 0) shrinkOrder(state, { slot: maker, lots: prevented });
  return false;
}

/** Takes lots away from an order in the book, which keeps its place. */
function shrinkOrder(state: EngineState, { slot, lots }: { readonly slot: number; readonly lots: number }): void {
  const { orders } = state;
  const before = reservationOf(state, slot);
  noteShrunk(state, { slot, lots });
  release(state.accounts, orders.pays[slot] as number, before - reservationOf(state, slot));
  orders.updatedAt[wordOf(slot)] = state.at;
  touchOrder(state, slot);
}

export function noteShrunk(state: EngineState, { slot, lots }: { readonly slot: number; readonly lots: number }): void {
  const { orders } = state;
  const condition = conditionFor(state, slot);
  if (condition.originalLots === 0) condition.originalLots = orders.lots[wordOf(slot)] as number;
  condition.preventedLots += lots;
  orders.lots[wordOf(slot)] = (orders.lots[wordOf(slot)] as number) - lots;
}

type Meeting = { readonly taker: number; readonly maker: number; readonly lots: number };

/** At the maker's price. Each side pays its fee from its proceeds: the buyer in base, the seller in quote. */
function trade(state: EngineState, { pair, side }: Sweep, { taker, maker, lots }: Meeting): void {
  const { orders, accounts, log } = state;
  const ticks = orders.ticks[maker] as number;
  const value = valueAt(pair, { ticks, lots });
  const quantity = quantityOf(pair, lots);
  const isBuy = side === BUY;
  const { makerFeePpm, takerFeePpm } = pair.terms;
  const buyer = isBuy ? taker : maker;
  const seller = isBuy ? maker : taker;
  const buyFee = feeOf(quantity, isBuy ? takerFeePpm : makerFeePpm);
  const sellFee = feeOf(value, isBuy ? makerFeePpm : takerFeePpm);
  pay(accounts, orders.pays[buyer] as number, value);
  pay(accounts, orders.pays[seller] as number, quantity);
  receive(accounts, orders.receives[buyer] as number, quantity - buyFee);
  receive(accounts, orders.receives[seller] as number, value - sellFee);
  receive(accounts, accountOf(accounts, state.house, pair.base), buyFee);
  receive(accounts, accountOf(accounts, state.house, pair.quote), sellFee);
  orders.feePaid[wordOf(buyer)] = (orders.feePaid[wordOf(buyer)] as bigint) + buyFee;
  orders.feePaid[wordOf(seller)] = (orders.feePaid[wordOf(seller)] as bigint) + sellFee;
  for (let slot = taker; ; slot = maker) {
    orders.filledLots[wordOf(slot)] = (orders.filledLots[wordOf(slot)] as number) + lots;
    orders.filledValue[wordOf(slot)] = (orders.filledValue[wordOf(slot)] as bigint) + value;
    orders.updatedAt[wordOf(slot)] = state.at;
    if (slot === maker) break;
  }
  pair.lastTicks = ticks;
  touch(log.pairs, pair);
  log.trades.push({
    id: state.nextTradeId++,
    pair: pair.name,
    grid: pair.grid,
    at: state.at,
    ticks,
    lots,
    value,
    takerSide: isBuy ? "buy" : "sell",
    buyOrderId: orders.id[wordOf(buyer)] as number,
    sellOrderId: orders.id[wordOf(seller)] as number,
    buyUser: ownerOf(state, buyer).name,
    sellUser: ownerOf(state, seller).name,
    buyFee,
    sellFee,
    auction: 0,
  });
  if (orders.condition[taker] !== 0 || orders.condition[maker] !== 0)
    afterTrade(state, { buyer, seller, lots, value, paid: value, quantity, received: quantity - buyFee });
  if (remainingLots(orders, maker) > 0) {
    touchOrder(state, maker);
    return;
  }
  withdrawOrder(state, maker);
  endOrder(state, { slot: maker, kind: RESTING, status: "filled", cancelReason: "" });
}

/** The amount paid was frozen before. */
export function pay(accounts: Accounts, account: number, amount: bigint): void {
  accounts.frozen[account] = (accounts.frozen[account] as bigint) - amount;
  touchAccount(accounts, account);
}

export function receive(accounts: Accounts, account: number, amount: bigint): void {
  accounts.available[account] = (accounts.available[account] as bigint) + amount;
  touchAccount(accounts, account);
}

/** An order on its way through the opposite side of the book: the rules shared by the preview and the trades. */
export type Sweep = {
  readonly pair: Pair;
  readonly side: number;
  readonly userIndex: number;
  readonly selfTrade: SelfTrade;
  /** The worst price that it may trade at. */
  readonly limitTicks: number;
  /** `LOTS_MAX` for an order by quote amount. */
  readonly lots: number;
  /** 0 for an order by lots. */
  readonly quoteAmount: bigint;
  readonly fillsMax: number;
  /** The quantity taken away instead of trading with the same user (`decrement`). */
  preventedLots: number;
  preventedValue: bigint;
};

/**
 * Why a sweep ended: empty when the order is filled, `book` when no order is left, `limit` when the next price is worse
 * than its limit, `fundsSpent` when the rest of its quote amount is less than one lot.
 */
export type Stop = "" | "book" | "limit" | "selfTrade" | "tooManyFills" | "fundsSpent";

export type Preview = { readonly lots: number; readonly value: bigint; readonly stop: Stop };

/** A preview: nothing changes. */
export function previewSweep(state: EngineState, given: Sweep): Preview {
  const { orders } = state;
  // Only this mode changes it.
  const sweep = given.selfTrade === "decrement" ? { ...given } : given;
  const ladder = oppositeOf(sweep.pair.book, sweep.side);
  let lots = 0;
  let value = 0n;
  let maker = firstOrder(ladder);
  for (let met = 0; ; met++) {
    const usedLots = lots + sweep.preventedLots;
    const usedValue = plusPrevented(sweep, value);
    const stop = stopBefore(orders, sweep, { maker, met, lots: usedLots, value: usedValue });
    if (stop !== "go") return { lots, value, stop };
    const isOfUser = isOwn(orders, sweep, maker);
    if (isOfUser && sweep.selfTrade === "cancelBoth") return { lots, value, stop: "selfTrade" };
    const isSkipped = isOfUser && !shrinks(state, sweep, maker);
    const taken = isSkipped ? 0 : lotsToTake(orders, sweep, { maker, lots: usedLots, value: usedValue });
    const worth = valueAt(sweep.pair, { ticks: orders.ticks[maker] as number, lots: taken });
    if (isOfUser) {
      sweep.preventedLots += taken;
      sweep.preventedValue += worth;
    } else {
      lots += taken;
      value += worth;
    }
    if (!isSkipped && taken < remainingLots(orders, maker)) {
      const after = { lots: usedLots + taken, value: usedValue + worth };
      return { lots, value, stop: stopWithin(sweep, after) };
    }
    maker = nextOrder(ladder, { orders, slot: maker });
  }
}

type Taken = { readonly lots: number; readonly value: bigint };

/** The next order of the book, how many were met before, and the quantity taken from them. */
type Progress = Taken & { readonly maker: number; readonly met: number };

function stopBefore(orders: OrderSlab, sweep: Sweep, { maker, met, lots, value }: Progress): Stop | "go" {
  if (isComplete(sweep, { lots, value })) return sweep.preventedLots === 0 ? "" : "selfTrade";
  if (maker === NONE) return "book";
  if (isBeyond(sweep, orders.ticks[maker] as number)) return "limit";
  if (met === sweep.fillsMax) return "tooManyFills";
  return sweep.selfTrade === "cancelNewest" && isOwn(orders, sweep, maker) ? "selfTrade" : "go";
}

/** The order has left a rest of the other one: it is filled, or it cannot pay for one more lot. */
function stopWithin(sweep: Sweep, taken: Taken): Stop {
  if (sweep.preventedLots > 0) return "selfTrade";
  return isComplete(sweep, taken) ? "" : "fundsSpent";
}

function isComplete(sweep: Sweep, { lots, value }: Taken): boolean {
  return lots === sweep.lots || (sweep.quoteAmount !== 0n && value === sweep.quoteAmount);
}

export function isBeyond({ side, limitTicks }: Pick<Sweep, "side" | "limitTicks">, ticks: number): boolean {
  return side === BUY ? ticks > limitTicks : ticks < limitTicks;
}

export function isOwn(orders: OrderSlab, { userIndex }: Sweep, maker: number): boolean {
  return orders.user[maker] === userIndex;
}

/** Whole lots, as many as both have; by quote amount, as many as its rest pays for at this price. */
function lotsToTake(orders: OrderSlab, sweep: Sweep, { maker, lots, value }: Omit<Progress, "met">): number {
  const most = Math.min(remainingLots(orders, maker), sweep.lots - lots);
  if (sweep.quoteAmount === 0n) return most;
  const affordable = lotsFor(sweep.pair, { amount: sweep.quoteAmount - value, ticks: orders.ticks[maker] as number });
  return affordable < BigInt(most) ? Number(affordable) : most;
}

export const lotsWanted = (lots: number): number => (lots === 0 ? LOTS_MAX : lots);
