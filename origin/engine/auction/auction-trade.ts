import { accountOf } from "../accounts.ts";
import { endOrder, ownerOf, withdrawOrder } from "../book/open-orders.ts";
import { remainingLots, wordOf } from "../book/order-slab.ts";
import { restingKind, touchOrder } from "../change-log.ts";
import { afterTrade } from "../conditions/list-trades.ts";
import { feeOf, quantityOf, valueAt } from "../exact.ts";
import { pay, receive } from "../match.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";

type Meeting = {
  readonly buy: number;
  readonly sell: number;
  readonly ticks: number;
  /** Of the auction. */
  readonly number: number;
};

/**
 * Two resting orders at the auction's price, as much as both have left; returns the lots. Both are makers. The buyer
 * reserved at the own price: what the trade does not need of it is free again at once.
 */
export function tradeAt(state: EngineState, pair: Pair, { buy, sell, ticks, number }: Meeting): number {
  const { orders, accounts, log } = state;
  const lots = Math.min(remainingLots(orders, buy), remainingLots(orders, sell));
  const value = valueAt(pair, { ticks, lots });
  const quantity = quantityOf(pair, lots);
  const buyFee = feeOf(quantity, pair.terms.makerFeePpm);
  const sellFee = feeOf(value, pair.terms.makerFeePpm);
  const payer = orders.pays[buy] as number;
  pay(accounts, payer, valueAt(pair, { ticks: orders.ticks[buy] as number, lots }));
  receive(accounts, payer, valueAt(pair, { ticks: (orders.ticks[buy] as number) - ticks, lots }));
  pay(accounts, orders.pays[sell] as number, quantity);
  receive(accounts, orders.receives[buy] as number, quantity - buyFee);
  receive(accounts, orders.receives[sell] as number, value - sellFee);
  receive(accounts, accountOf(accounts, state.house, pair.base), buyFee);
  receive(accounts, accountOf(accounts, state.house, pair.quote), sellFee);
  const buyOrderId = orders.id[wordOf(buy)] as number;
  const sellOrderId = orders.id[wordOf(sell)] as number;
  pair.lastTicks = ticks;
  log.trades.push({
    id: state.nextTradeId++,
    pair: pair.name,
    grid: pair.grid,
    at: state.at,
    ticks,
    lots,
    value,
    takerSide: buyOrderId > sellOrderId ? "buy" : "sell",
    buyOrderId,
    sellOrderId,
    buyUser: ownerOf(state, buy).name,
    sellUser: ownerOf(state, sell).name,
    buyFee,
    sellFee,
    auction: number,
  });
  const hasConditions = orders.condition[buy] !== 0 || orders.condition[sell] !== 0;
  addFill(state, { slot: buy, lots, value, fee: buyFee });
  addFill(state, { slot: sell, lots, value, fee: sellFee });
  if (hasConditions) {
    const paid = valueAt(pair, { ticks: orders.ticks[buy] as number, lots });
    afterTrade(state, { buyer: buy, seller: sell, lots, value, paid, quantity, received: quantity - buyFee });
  }
  endIfFilled(state, pair, buy);
  endIfFilled(state, pair, sell);
  return lots;
}

type Part = { readonly slot: number; readonly lots: number; readonly value: bigint; readonly fee: bigint };

function addFill({ orders, at }: EngineState, { slot, lots, value, fee }: Part): void {
  const word = wordOf(slot);
  orders.filledLots[word] = (orders.filledLots[word] as number) + lots;
  orders.filledValue[word] = (orders.filledValue[word] as bigint) + value;
  orders.feePaid[word] = (orders.feePaid[word] as bigint) + fee;
  orders.updatedAt[word] = at;
}

function endIfFilled(state: EngineState, pair: Pair, slot: number): void {
  const { orders } = state;
  if (remainingLots(orders, slot) > 0) {
    touchOrder(state, slot);
    return;
  }
  const kind = restingKind(pair, orders.id[wordOf(slot)] as number);
  withdrawOrder(state, slot);
  endOrder(state, { slot, kind, status: "filled", cancelReason: "" });
}
