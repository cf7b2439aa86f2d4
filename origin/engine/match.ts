import { accountOf, touchAccount } from "./accounts.ts";
import { firstOrder, oppositeOf } from "./book.ts";
import { touch, touchOrder } from "./change-log.ts";
import { feeOf, quantityOf, valueAt } from "./exact.ts";
import { cancelOpenOrder, endOrder, ownerOf, withdrawOrder } from "./open-orders.ts";
import { BUY, remainingLots } from "./order-slab.ts";
import type { EngineState } from "./state.ts";
import { isOwn, lotsToTake, type Stop, type Sweep, stopBefore, stopWithin } from "./sweep.ts";

/** Trades an order, whose funds are frozen, with the best of the other side until something stops it. */
export function matchOrder(state: EngineState, sweep: Sweep, taker: number): Stop {
  const { orders } = state;
  const ladder = oppositeOf(sweep.pair.book, sweep.side);
  for (let met = 0; ; met++) {
    const maker = firstOrder(ladder);
    const lots = orders.filledLots[taker] as number;
    const value = orders.filledValue[taker] as bigint;
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
    if (!isAll) return stopWithin(sweep, { lots: orders.filledLots[taker] as number, value: orders.filledValue[taker] as bigint });
  }
}

type Meeting = { readonly taker: number; readonly maker: number; readonly lots: number };

/** At the maker's price. Each side pays its fee out of what it receives: the buyer in base, the seller in quote. */
function trade(state: EngineState, { pair, side }: Sweep, { taker, maker, lots }: Meeting): void {
  const { orders, log } = state;
  const ticks = orders.ticks[maker] as number;
  const value = valueAt(pair, { ticks, lots });
  const quantity = quantityOf(pair, lots);
  const isBuy = side === BUY;
  const { makerFeePpm, takerFeePpm } = pair.terms;
  const buyer = isBuy ? taker : maker;
  const seller = isBuy ? maker : taker;
  const buyFee = feeOf(quantity, isBuy ? takerFeePpm : makerFeePpm);
  const sellFee = feeOf(value, isBuy ? makerFeePpm : takerFeePpm);
  settle(state, { slot: buyer, lots, value, paid: value, received: quantity, fee: buyFee });
  settle(state, { slot: seller, lots, value, paid: quantity, received: value, fee: sellFee });
  credit(state, accountOf(state.accounts, state.house, pair.base), buyFee);
  credit(state, accountOf(state.accounts, state.house, pair.quote), sellFee);
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
    buyOrderId: orders.id[buyer] as number,
    sellOrderId: orders.id[seller] as number,
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
  endOrder(state, { slot: maker, status: "filled", cancelReason: "" });
}

type Settlement = {
  readonly slot: number;
  readonly lots: number;
  readonly value: bigint;
  readonly paid: bigint;
  readonly received: bigint;
  readonly fee: bigint;
};

/** One side of a trade. What it pays was frozen before. */
function settle(state: EngineState, { slot, lots, value, paid, received, fee }: Settlement): void {
  const { orders, accounts } = state;
  const pays = orders.pays[slot] as number;
  accounts.frozen[pays] = (accounts.frozen[pays] as bigint) - paid;
  touchAccount(accounts, pays);
  credit(state, orders.receives[slot] as number, received - fee);
  orders.filledLots[slot] = (orders.filledLots[slot] as number) + lots;
  orders.filledValue[slot] = (orders.filledValue[slot] as bigint) + value;
  orders.feePaid[slot] = (orders.feePaid[slot] as bigint) + fee;
  orders.updatedAt[slot] = state.at;
}

function credit({ accounts }: EngineState, account: number, amount: bigint): void {
  accounts.available[account] = (accounts.available[account] as bigint) + amount;
  touchAccount(accounts, account);
}
