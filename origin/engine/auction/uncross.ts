import { firstOrder, nextOrder } from "../book/book.ts";
import { cancelOpenOrder } from "../book/open-orders.ts";
import { findSlot, NONE, remainingLots, SIDES, wordOf } from "../book/order-slab.ts";
import { restingKind, touch } from "../change-log.ts";
import { priorityOf } from "../conditions/condition.ts";
import { reach } from "../conditions/triggers.ts";
import { TICKS_MAX } from "../limits.ts";
import type { Pair } from "../pairs.ts";
import { setTerms } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import type { OrderSide } from "../terms.ts";
import type { AuctionProgress, ListedOrder } from "./auction.ts";
import { isUncrossing } from "./auction.ts";
import { tradeAt } from "./auction-trade.ts";
import { isOpening, ringBell } from "./enter-auction.ts";

/**
 * The uncross: from the bell to continuous trading, a bounded slice per tick. Each phase continues where the pair's
 * progress says, so that the slices of a standby are those that the dead leader would have made.
 *
 * The price of maximum volume is found by matching the best buy with the best sell order, without trading, until they
 * no longer cross. With `b` and `s` the prices of the last ones matched, exactly the prices from `s` to `b` have that
 * volume. The next orders, at `b'` and `s'`, have the surplus: prices between them have none; if there are none, either
 * all of `b` or all of `s` was not used up, or `b'` and `s'` are neighbours, and the smaller of the two levels decides.
 */

/** A trade or a cancellation makes rows; listing or pricing an order only reads it. */
const COST_OF_CHANGE = 4;
const COST_OF_LOOK = 1;

type Budget = { left: number };

/** One slice of all auctions that are due. */
export function uncross(state: EngineState): void {
  const budget = { left: state.bounds.fillsMax * COST_OF_CHANGE };
  for (const pair of state.pairs.sorted) {
    if (budget.left <= 0) return;
    if (!isOpening(state, pair)) continue;
    if (!isUncrossing(pair.auction)) ringBell(state, pair);
    advance(state, pair, budget);
    touch(state.log.pairs, pair);
  }
}

/** Each phase returns with its part of the budget used up, or with the next phase. */
function advance(state: EngineState, pair: Pair, budget: Budget): void {
  while (budget.left > 0 && isUncrossing(pair.auction)) {
    switch (pair.auction.phase) {
      case "listing":
        list(state, pair, budget);
        break;
      case "pricing":
        price(state, pair, budget);
        break;
      case "weighing":
        weigh(state, pair, budget);
        break;
      case "filling":
        fill(state, pair, budget);
        break;
      default:
        close(state, pair, budget);
    }
  }
}

const NOTHING_MATCHED = { buyId: 0, sellId: 0, buyLots: 0, sellLots: 0, buyTicks: 0, sellTicks: 0 } as const;

/** All buys, then all sells. An id of 0 at the beginning means the first order; `orders` tells it from the end. */
function list(state: EngineState, pair: Pair, budget: Budget): void {
  const { auction } = pair;
  const listed: ListedOrder[] = [];
  let buy = auction.orders === 0 ? firstOrder(pair.book.buys) : slotOf(state, auction.buyId);
  let sell = auction.orders === 0 ? firstOrder(pair.book.sells) : slotOf(state, auction.sellId);
  while (budget.left > 0 && (buy !== NONE || sell !== NONE)) {
    const isBuy = buy !== NONE;
    const slot = isBuy ? buy : sell;
    listed.push(listedOrder(state, pair, slot));
    if (isBuy) buy = nextOrder(pair.book.buys, { orders: state.orders, slot });
    else sell = nextOrder(pair.book.sells, { orders: state.orders, slot });
    budget.left -= COST_OF_LOOK;
  }
  const { name, grid } = pair;
  if (listed.length > 0)
    state.log.auctions.push({
      kind: "orders",
      ...{ pair: name, grid, number: auction.number, from: auction.orders, orders: listed },
    });
  const orders = auction.orders + listed.length;
  if (buy !== NONE || sell !== NONE) {
    pair.auction = { ...auction, orders, buyId: idOf(state, buy), sellId: idOf(state, sell) };
    return;
  }
  const first = { buyId: idOf(state, firstOrder(pair.book.buys)), sellId: idOf(state, firstOrder(pair.book.sells)) };
  pair.auction = { ...auction, ...NOTHING_MATCHED, ...first, orders, phase: "pricing" };
}

function listedOrder(state: EngineState, pair: Pair, slot: number): ListedOrder {
  const { orders } = state;
  const id = orders.id[wordOf(slot)] as number;
  return {
    id,
    side: SIDES[orders.side[slot] as number] as OrderSide,
    type: restingKind(pair, id).type,
    ticks: orders.ticks[slot] as number,
    lots: remainingLots(orders, slot),
    priority: priorityOf(state, slot),
  };
}

type Walk = {
  buy: number;
  sell: number;
  buyLots: number;
  sellLots: number;
  buyTicks: number;
  sellTicks: number;
};

/** Matches the best orders of both sides while they cross, without trading. */
function price(state: EngineState, pair: Pair, budget: Budget): void {
  const { orders } = state;
  const walk = walkOf(state, pair.auction);
  const isCrossing = () =>
    walk.buy !== NONE &&
    walk.sell !== NONE &&
    (orders.ticks[walk.buy] as number) >= (orders.ticks[walk.sell] as number);
  while (budget.left > 0 && isCrossing()) {
    walk.buyTicks = orders.ticks[walk.buy] as number;
    walk.sellTicks = orders.ticks[walk.sell] as number;
    matchOne(state, pair, walk);
    budget.left -= COST_OF_LOOK;
  }
  pair.auction = { ...pair.auction, ...progressOf(state, walk) };
  if (!isCrossing()) pair.auction = priced(state, pair, walk);
}

/** Uses up the smaller of the two current orders. */
function matchOne({ orders }: EngineState, { book }: Pair, walk: Walk): void {
  const buyLeft = remainingLots(orders, walk.buy) - walk.buyLots;
  const sellLeft = remainingLots(orders, walk.sell) - walk.sellLots;
  const lots = Math.min(buyLeft, sellLeft);
  walk.buyLots += lots;
  walk.sellLots += lots;
  if (lots === buyLeft) {
    walk.buy = nextOrder(book.buys, { orders, slot: walk.buy });
    walk.buyLots = 0;
  }
  if (lots !== sellLeft) return;
  walk.sell = nextOrder(book.sells, { orders, slot: walk.sell });
  walk.sellLots = 0;
}

/** Nothing crosses any more: the price, or the two prices to weigh. */
function priced({ orders }: EngineState, { auction }: Pair, walk: Walk): AuctionProgress {
  const { buyTicks, sellTicks } = walk;
  if (buyTicks === 0) return at(auction, 0);
  const nextBuy = walk.buy === NONE ? 0 : (orders.ticks[walk.buy] as number);
  const nextSell = walk.sell === NONE ? TICKS_MAX + 1 : (orders.ticks[walk.sell] as number);
  const lowest = Math.max(sellTicks, nextBuy + 1);
  const highest = Math.min(buyTicks, nextSell - 1);
  if (lowest <= highest) return at(auction, nearest({ lowest, highest }, auction.referenceTicks));
  if (nextBuy === buyTicks) return at(auction, buyTicks);
  if (nextSell === sellTicks) return at(auction, sellTicks);
  return { ...auction, phase: "weighing", buyTicks: nextBuy, sellTicks: nextSell };
}

/** Matches the levels of two neighbouring prices, whole: the one that is used up first has the smaller surplus. */
function weigh(state: EngineState, pair: Pair, budget: Budget): void {
  const { orders } = state;
  const { auction } = pair;
  const walk = walkOf(state, auction);
  const hasBuy = () => walk.buy !== NONE && orders.ticks[walk.buy] === auction.buyTicks;
  const hasSell = () => walk.sell !== NONE && orders.ticks[walk.sell] === auction.sellTicks;
  while (budget.left > 0 && hasBuy() && hasSell()) {
    matchOne(state, pair, walk);
    budget.left -= COST_OF_LOOK;
  }
  const { buyTicks, sellTicks } = auction;
  if (hasBuy() && hasSell()) pair.auction = { ...auction, ...progressOf(state, { ...walk, buyTicks, sellTicks }) };
  else if (hasSell()) pair.auction = at(auction, buyTicks);
  else if (hasBuy()) pair.auction = at(auction, sellTicks);
  else pair.auction = at(auction, nearest({ lowest: buyTicks, highest: sellTicks }, auction.referenceTicks));
}

/** Without a reference, the middle, rounded down. */
function nearest({ lowest, highest }: { readonly lowest: number; readonly highest: number }, reference: number) {
  const wanted = reference === 0 ? Math.floor((lowest + highest) / 2) : reference;
  return Math.min(Math.max(wanted, lowest), highest);
}

const at = (auction: AuctionProgress, ticks: number): AuctionProgress => ({
  ...auction,
  ...NOTHING_MATCHED,
  ticks,
  phase: "filling",
});

/** The best buy with the best sell order, as long as both accept the price. */
function fill(state: EngineState, pair: Pair, budget: Budget): void {
  const { orders } = state;
  const { ticks, number } = pair.auction;
  let { trades, lots } = pair.auction;
  let counted = 0;
  const firstTradeId = trades === 0 ? state.nextTradeId : pair.auction.firstTradeId;
  const [buys, sells] = [pair.book.buys, pair.book.sells] as const;
  let [buy, sell] = [firstOrder(buys), firstOrder(sells)];
  const isDone = () =>
    ticks === 0 ||
    buy === NONE ||
    sell === NONE ||
    (orders.ticks[buy] as number) < ticks ||
    (orders.ticks[sell] as number) > ticks;
  while (budget.left > 0 && !isDone()) {
    const traded = tradeAt(state, pair, { buy, sell, ticks, number });
    // Doubles count exactly up to here; a bigint for every trade would be allocated for nothing.
    if (counted + traded > Number.MAX_SAFE_INTEGER) {
      lots += BigInt(counted);
      counted = 0;
    }
    counted += traded;
    trades++;
    budget.left -= COST_OF_CHANGE;
    buy = firstOrder(buys);
    sell = firstOrder(sells);
  }
  lots += BigInt(counted);
  pair.auction = { ...pair.auction, trades, lots, firstTradeId: trades === 0 ? 0 : firstTradeId };
  if (!isDone()) return;
  pair.auction = { ...pair.auction, phase: "closing" };
  publishResult(state, pair);
}

function publishResult({ log }: EngineState, { name, grid, auction }: Pair): void {
  const { number, rungAt, referenceTicks, orders, ticks, lots, firstTradeId, trades } = auction;
  const facts = { number, rungAt, referenceTicks, orders, ticks, lots, firstTradeId, trades };
  log.auctions.push({ kind: "result", pair: name, grid, ...facts });
}

/** Orders that were only for the opening end, the oldest first; then the pair trades. */
function close(state: EngineState, pair: Pair, budget: Budget): void {
  for (const id of inOrder([...pair.onOpen.keys()])) {
    if (budget.left <= 0) return;
    const slot = findSlot(state.index, id);
    const { type } = restingKind(pair, id);
    cancelOpenOrder(state, { slot, reason: type === "market" ? "noLiquidity" : "immediateOrCancel" });
    budget.left -= COST_OF_CHANGE;
  }
  if (budget.left <= 0) return;
  pair.auction = { ...pair.auction, phase: "none" };
  setTerms(pair, { ...pair.terms, state: "trading", opensAt: 0, freezeMs: 0 });
  pair.version++;
  // Triggers wait for continuous trading: all that the opening price has reached run then.
  if (pair.auction.ticks > 0) reach(state, pair, pair.auction.ticks);
}

/** They are in order unless they were loaded from a store. */
function inOrder(ids: number[]): number[] {
  return ids.every((id, place) => place === 0 || id > (ids[place - 1] as number)) ? ids : ids.sort((a, b) => a - b);
}

function walkOf(state: EngineState, { buyId, sellId, buyLots, sellLots, buyTicks, sellTicks }: AuctionProgress): Walk {
  return { buy: slotOf(state, buyId), sell: slotOf(state, sellId), buyLots, sellLots, buyTicks, sellTicks };
}

function progressOf(state: EngineState, { buy, sell, ...rest }: Walk) {
  return { buyId: idOf(state, buy), sellId: idOf(state, sell), ...rest };
}

const slotOf = ({ index }: EngineState, id: number): number => (id === 0 ? NONE : findSlot(index, id));
const idOf = ({ orders }: EngineState, slot: number): number =>
  slot === NONE ? 0 : (orders.id[wordOf(slot)] as number);
