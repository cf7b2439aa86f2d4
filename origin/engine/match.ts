import { type Accounts, accountOf, touchAccount } from "./accounts.ts";
import { firstOrder, oppositeOf } from "./book.ts";
import { touch, touchOrder } from "./change-log.ts";
import { feeOf, quantityOf, valueAt } from "./exact.ts";
import { cancelOpenOrder, endOrder, ownerOf, withdrawOrder } from "./open-orders.ts";
import { RESTING } from "./order-row.ts";
import { BUY, remainingLots, wordOf } from "./order-slab.ts";
import type { EngineState } from "./state.ts";
import { isOwn, lotsToTake, type Stop, type Sweep, stopBefore, stopWithin } from "./sweep.ts";

/** Trades an order, whose funds are frozen, with the best of the other side until something stops it. */
export function matchOrder(state: EngineState, sweep: Sweep, taker: number): Stop {
  const { orders } = state;
  const ladder = oppositeOf(sweep.pair.book, sweep.side);
  for (let met = 0; ; met++) {
    const maker = firstOrder(ladder);
    const lots = orders.filledLots[wordOf(taker)] as number;
    const value = orders.filledValue[wordOf(taker)] as bigint;
    const stop = stopBefore(orders, sweep, { maker, met, lots, value });
    if (stop !== "go") return stop;
    if (isOwn(orders, sweep, maker)) {
      cancelOpenOrder(state, { slot: maker, reason: "selfTrade" });
      if (sweep.selfTrade === "cancelBoth") return "selfTrade";
      continue;
    }
    const taken = lotsToTake(orders, sweep, { maker, lots, value });
    const isAll = taken === remainingLots(orders, maker);
    if (taken > 0) trade(state, sweep, { taker, maker, lots: taken });
    if (!isAll)
      return stopWithin(sweep, { lots: orders.filledLots[wordOf(taker)] as number, value: orders.filledValue[wordOf(taker)] as bigint });
  }
}

type Meeting = { readonly taker: number; readonly maker: number; readonly lots: number };

/** At the maker's price. Each side pays its fee out of what it receives: the buyer in base, the seller in quote. */
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
  });
  if (remainingLots(orders, maker) > 0) {
    touchOrder(state, maker);
    return;
  }
  withdrawOrder(state, maker);
  endOrder(state, { slot: maker, kind: RESTING, status: "filled", cancelReason: "" });
}

/** What is paid was frozen before. */
function pay(accounts: Accounts, account: number, amount: bigint): void {
  accounts.frozen[account] = (accounts.frozen[account] as bigint) - amount;
  touchAccount(accounts, account);
}

function receive(accounts: Accounts, account: number, amount: bigint): void {
  accounts.available[account] = (accounts.available[account] as bigint) + amount;
  touchAccount(accounts, account);
}
