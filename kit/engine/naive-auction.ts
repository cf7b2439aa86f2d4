import type { AuctionResult, ListedOrder } from "../../origin/engine/auction/auction.ts";
import type { PlaceOrder } from "../../origin/engine/command.ts";
import type { RejectCode } from "../../origin/engine/outcome.ts";
import { afterTrade } from "./naive-lists.ts";
import { balance, cancelOne, fee, isOpen, quantity, turnOf, worth } from "./naive-parts.ts";
import { reachPrice } from "./naive-triggers.ts";
import type { NaiveOpening, NaiveOrder, NaivePair, NaiveVenue } from "./naive-venue.ts";

/** The bell has rung, or its time has come. */
export function isNaiveOpening(venue: NaiveVenue, { terms, opening }: NaivePair): boolean {
  if (opening === null) return false;
  return opening.steps !== null || (terms.state === "auction" && terms.opensAt > 0 && terms.opensAt <= venue.at);
}

/** Why nothing can be cancelled. */
export function naiveHold(venue: NaiveVenue, pairName: string): RejectCode | undefined {
  const pair = venue.pairs.find(({ terms }) => terms.pair === pairName);
  if (!pair) return undefined;
  if (isNaiveOpening(venue, pair)) return "pair_opening";
  const { state, opensAt, freezeMs } = pair.terms;
  return state === "auction" && opensAt > 0 && venue.at + freezeMs >= opensAt ? "auction_frozen" : undefined;
}

/** After the terms have changed. */
export function naiveEnter(venue: NaiveVenue, pair: NaivePair): void {
  const { state } = pair.terms;
  if (state === "auction" && pair.opening === null) {
    pair.opening = { steps: null };
    pair.auction = { number: pair.auction.number + 1, rungAt: 0 };
  } else if (state === "trading" && pair.opening !== null) ring(venue, pair, pair.opening);
}

/** A slice of every opening that is due. */
export function naiveTick(venue: NaiveVenue): void {
  let left = 4 * venue.bounds.fillsMax;
  const byName = [...venue.pairs].sort((a, b) => (a.terms.pair < b.terms.pair ? -1 : 1));
  for (const pair of byName) {
    const { opening } = pair;
    if (left <= 0 || opening === null || !isNaiveOpening(venue, pair)) continue;
    if (opening.steps === null) ring(venue, pair, opening);
    while (left > 0 && pair.opening !== null) {
      const step = opening.steps?.shift();
      step?.run();
      left -= step?.cost ?? 0;
    }
  }
}

/** The whole uncross is planned at the bell: nothing changes the book afterwards. */
function ring(venue: NaiveVenue, pair: NaivePair, opening: NaiveOpening): void {
  pair.terms = { ...pair.terms, state: "auction", opensAt: venue.at, freezeMs: 0 };
  pair.auction = { ...pair.auction, rungAt: venue.at };
  const buys = inTurn(venue, pair, "buy");
  const sells = inTurn(venue, pair, "sell");
  const { ticks, weighed } = naivePrice(pair, buys, sells);
  const meetings = pairedOff(
    buys.filter((order) => order.ticks >= ticks),
    sells.filter((order) => order.ticks <= ticks),
  );
  const trades = ticks === 0 ? [] : meetings;
  const looks = buys.length + sells.length + trades.length + weighed;
  const onOpen = [...buys, ...sells].filter(({ type, timeInForce }) => type === "market" || timeInForce === "IOC");
  record(venue, pair, { ticks, trades, orders: [...buys, ...sells] });
  opening.steps = [
    ...Array.from({ length: looks }, () => ({ cost: 1, run: () => {} })),
    ...trades.map((trade) => ({ cost: 4, run: () => tradeOne(venue, pair, { ...trade, ticks }) })),
    ...onOpen
      .filter((order) => order.lots - order.filledLots > tradedOf(trades, order))
      .sort((a, b) => a.id - b.id)
      .map((order) => ({ cost: 4, run: () => endOnOpen(venue, order) })),
    { cost: 0, run: () => open(venue, pair, ticks) },
  ];
}

function endOnOpen(venue: NaiveVenue, order: NaiveOrder): void {
  cancelOne(venue, order, order.type === "market" ? "noLiquidity" : "immediateOrCancel");
}

function open(venue: NaiveVenue, pair: NaivePair, ticks: number): void {
  pair.opening = null;
  pair.version += 1;
  pair.terms = { ...pair.terms, state: "trading", opensAt: 0, freezeMs: 0 };
  if (ticks > 0) reachPrice(venue, pair, ticks);
}

type Meeting = { readonly buy: NaiveOrder; readonly sell: NaiveOrder; readonly lots: number };

const tradedOf = (trades: readonly Meeting[], order: NaiveOrder): number =>
  trades.reduce((sum, { buy, sell, lots }) => (buy === order || sell === order ? sum + lots : sum), 0);

function inTurn(venue: NaiveVenue, { terms }: NaivePair, side: "buy" | "sell"): NaiveOrder[] {
  const sign = side === "buy" ? -1 : 1;
  return venue.orders
    .filter((order) => isOpen(order) && order.pair === terms.pair && order.side === side)
    .sort((a, b) => (a.ticks === b.ticks ? turnOf(a) - turnOf(b) : sign * (a.ticks - b.ticks)));
}

/** The first with the first, until one side is used up. */
function pairedOff(buys: readonly NaiveOrder[], sells: readonly NaiveOrder[]): readonly Meeting[] {
  const meetings: Meeting[] = [];
  const left = new Map([...buys, ...sells].map((order) => [order, order.lots - order.filledLots]));
  const [one, other] = [[...buys], [...sells]];
  for (let [buy, sell] = [one[0], other[0]]; buy && sell; [buy, sell] = [one[0], other[0]]) {
    const lots = Math.min(left.get(buy) ?? 0, left.get(sell) ?? 0);
    meetings.push({ buy, sell, lots });
    for (const order of [buy, sell]) left.set(order, (left.get(order) ?? 0) - lots);
    if (left.get(buy) === 0) one.shift();
    if (left.get(sell) === 0) other.shift();
  }
  return meetings;
}

type Candidate = { readonly ticks: number; readonly volume: bigint; readonly surplus: bigint };

/** Every price at which something changes, and its neighbours, are tried; each rule leaves the best of what is left. */
function naivePrice({ lastTicks }: NaivePair, buys: readonly NaiveOrder[], sells: readonly NaiveOrder[]) {
  const prices = new Set([...buys, ...sells].flatMap(({ ticks }) => [ticks - 1, ticks, ticks + 1]));
  const sum = (orders: readonly NaiveOrder[]) =>
    orders.reduce((total, { lots, filledLots }) => total + BigInt(lots - filledLots), 0n);
  let left: Candidate[] = [...prices]
    .sort((a, b) => a - b)
    .map((ticks) => {
      const demand = sum(buys.filter((order) => order.ticks >= ticks));
      const supply = sum(sells.filter((order) => order.ticks <= ticks));
      return { ticks, volume: demand < supply ? demand : supply, surplus: demand - supply };
    });
  const keep = (isBetter: (one: Candidate, than: Candidate) => boolean) => {
    left = left.filter((one) => !left.some((other) => isBetter(other, one)));
  };
  keep((one, than) => one.volume > than.volume);
  if ((left[0]?.volume ?? 0n) === 0n) return { ticks: 0, weighed: 0 };
  const size = ({ surplus }: Candidate) => (surplus < 0n ? -surplus : surplus);
  const isTwoSided = left.some(({ surplus }) => surplus > 0n) && left.some(({ surplus }) => surplus < 0n);
  const weighed = isTwoSided && left.every(({ surplus }) => surplus !== 0n) ? weighings(left, buys, sells) : 0;
  keep((one, than) => size(one) < size(than));
  keep((one, than) => one.surplus === than.surplus && (one.surplus > 0n ? one.ticks > than.ticks : false));
  keep((one, than) => one.surplus === than.surplus && (one.surplus < 0n ? one.ticks < than.ticks : false));
  const [lowest, highest] = [left[0]?.ticks ?? 0, left.at(-1)?.ticks ?? 0];
  const wanted = lastTicks === 0 ? Math.floor((lowest + highest) / 2) : lastTicks;
  return { ticks: Math.min(Math.max(wanted, lowest), highest), weighed };
}

/** Between the highest price with a surplus of buyers and the lowest with one of sellers, two levels are compared. */
function weighings(left: readonly Candidate[], buys: readonly NaiveOrder[], sells: readonly NaiveOrder[]): number {
  const atBuy = Math.max(...left.filter(({ surplus }) => surplus > 0n).map(({ ticks }) => ticks));
  const atSell = Math.min(...left.filter(({ surplus }) => surplus < 0n).map(({ ticks }) => ticks));
  return pairedOff(
    buys.filter(({ ticks }) => ticks === atBuy),
    sells.filter(({ ticks }) => ticks === atSell),
  ).length;
}

function tradeOne(venue: NaiveVenue, pair: NaivePair, trade: Meeting & { readonly ticks: number }): void {
  const { buy, sell, lots, ticks } = trade;
  const { baseCurrency, quoteCurrency, makerFeePpm } = pair.terms;
  const value = worth(venue, pair, { ticks, lots });
  const amount = quantity(pair, lots);
  const buyFee = fee(amount, makerFeePpm);
  const sellFee = fee(value, makerFeePpm);
  const reserved = worth(venue, pair, { ticks: buy.ticks, lots });
  balance(venue, buy.user, quoteCurrency).frozen -= reserved;
  balance(venue, buy.user, quoteCurrency).available += reserved - value;
  balance(venue, sell.user, baseCurrency).frozen -= amount;
  balance(venue, buy.user, baseCurrency).available += amount - buyFee;
  balance(venue, sell.user, quoteCurrency).available += value - sellFee;
  balance(venue, "house", baseCurrency).available += buyFee;
  balance(venue, "house", quoteCurrency).available += sellFee;
  const received = amount - buyFee;
  for (const order of [buy, sell]) {
    order.filledLots += lots;
    order.filledValue += value;
    order.feePaid += order === buy ? buyFee : sellFee;
    order.updatedAt = venue.at;
    order.status = order.filledLots === order.lots ? "filled" : "partiallyFilled";
  }
  afterTrade(venue, { buy, sell, lots, value, paid: reserved, amount, received });
  pair.lastTicks = ticks;
  venue.trades.push({
    ...{ id: venue.trades.length + 1, pair: pair.terms.pair, grid: pair.grid, at: venue.at, ticks, lots, value },
    takerSide: buy.id > sell.id ? "buy" : "sell",
    ...{ buyOrderId: buy.id, sellOrderId: sell.id, buyUser: buy.user, sellUser: sell.user, buyFee, sellFee },
    auction: pair.auction.number,
  });
}

/** The record that the engine must have published by the end. */
export type NaiveRecord = {
  readonly orders: readonly ListedOrder[];
  readonly result: Pick<AuctionResult, "ticks" | "lots" | "trades" | "orders" | "rungAt" | "referenceTicks">;
};

type Planned = { readonly ticks: number; readonly trades: readonly Meeting[]; readonly orders: readonly NaiveOrder[] };

function record(venue: NaiveVenue, { terms, auction, lastTicks }: NaivePair, { ticks, trades, orders }: Planned): void {
  const lots = trades.reduce((sum, trade) => sum + BigInt(trade.lots), 0n);
  const counts = { trades: trades.length, orders: orders.length };
  venue.auctions.set(`${terms.pair} ${auction.number}`, {
    orders: orders.map((order) => {
      const { id, side } = order;
      const type = order.type === "market" ? "market" : "limit";
      return { id, side, type, ticks: order.ticks, lots: order.lots - order.filledLots, priority: turnOf(order) };
    }),
    result: { ticks, lots, ...counts, rungAt: venue.at, referenceTicks: lastTicks },
  });
}

/** The price at which an order rests in an auction; 0 if a market order to buy would need an edge that there is not. */
export function restingTicks(pair: NaivePair, { type, side, ticks }: PlaceOrder): number {
  const { lastTicks, terms } = pair;
  if (type === "limit") return ticks;
  const distance = Math.floor((lastTicks * terms.bandPpm) / 1_000_000);
  const hasEdge = lastTicks > 0 && terms.bandPpm > 0;
  if (side === "sell") return hasEdge ? Math.max(1, lastTicks - distance) : 1;
  return hasEdge && lastTicks + distance < 2_147_483_647 ? lastTicks + distance : 0;
}

/** An own order on the other side that could be met at one price. */
export function crossesOwn(venue: NaiveVenue, { user, pair, side }: PlaceOrder, ticks: number): boolean {
  return venue.orders.some(
    (order) =>
      isOpen(order) &&
      order.user === user &&
      order.pair === pair &&
      order.side !== side &&
      (side === "buy" ? order.ticks <= ticks : order.ticks >= ticks),
  );
}
