/**
 * The rule of an opening auction, as it is stated to traders. The engine finds the same price by matching orders in
 * priority (`uncross.ts`); this is the definition, from levels only, for the indicative price and for
 * `npm run verify-auction`. A test holds the two against each other and against a search through every price.
 *
 * 1. The price at which the most lots can be traded.
 * 2. Of several, those with the smallest surplus: what one side offers beyond the other at that price.
 * 3. Of several, the highest if the surplus is on the buy side, the lowest if it is on the sell side.
 * 4. Of several, the nearest to the reference price. Without one, the middle of them, rounded down.
 */
export function clearingOf({ buys, sells, referenceTicks }: AuctionBook): Clearing | undefined {
  const [bestBuy, bestSell] = [buys[0], sells[0]];
  if (bestBuy === undefined || bestSell === undefined || bestBuy.ticks < bestSell.ticks) return undefined;
  const spans = spansOf({ buys, sells, lowest: bestSell.ticks, highest: bestBuy.ticks });
  const lots = mostOf(spans.map((span) => volumeOf(span)));
  const withMost = spans.filter((span) => volumeOf(span) === lots);
  const least = -mostOf(withMost.map(({ surplus }) => -absolute(surplus)));
  const { ticks, surplus } = choose(
    withMost.filter((span) => absolute(span.surplus) === least),
    referenceTicks,
  );
  return { ticks, lots, surplus };
}

/** The levels of listed orders: the better price first. */
export function levelsOf(orders: readonly ListedLots[]): Omit<AuctionBook, "referenceTicks"> {
  const levels = { buy: new Map<number, bigint>(), sell: new Map<number, bigint>() };
  for (const { side, ticks, lots } of orders) levels[side].set(ticks, (levels[side].get(ticks) ?? 0n) + BigInt(lots));
  const sorted = (side: "buy" | "sell", sign: 1 | -1) =>
    [...levels[side]].map(([ticks, lots]) => ({ ticks, lots })).sort((a, b) => sign * (a.ticks - b.ticks));
  return { buys: sorted("buy", -1), sells: sorted("sell", 1) };
}

type ListedLots = { readonly side: "buy" | "sell"; readonly ticks: number; readonly lots: number };

export type AuctionLevel = { readonly ticks: number; readonly lots: bigint };

/** Both sides with the best price first, each price once. */
export type AuctionBook = {
  readonly buys: readonly AuctionLevel[];
  readonly sells: readonly AuctionLevel[];
  /** The last price; 0 before the first trade. */
  readonly referenceTicks: number;
};

/** `surplus` is positive on the buy side, negative on the sell side. */
export type Clearing = { readonly ticks: number; readonly lots: bigint; readonly surplus: bigint };

/** Neighbouring prices at which both sides offer the same. */
type Span = {
  readonly lowest: number;
  readonly highest: number;
  readonly demand: bigint;
  readonly supply: bigint;
  readonly surplus: bigint;
};

const volumeOf = ({ demand, supply }: Span): bigint => (demand < supply ? demand : supply);
const absolute = (value: bigint): bigint => (value < 0n ? -value : value);
const mostOf = (values: readonly bigint[]): bigint => values.reduce((most, value) => (value > most ? value : most));

/** From the lowest price to the highest: what is offered changes only at the prices of orders. */
function spansOf({ buys, sells, lowest, highest }: Omit<AuctionBook, "referenceTicks"> & Range): readonly Span[] {
  const buyable = buys.filter(({ ticks }) => ticks >= lowest);
  const sellable = sells.filter(({ ticks }) => ticks <= highest);
  const prices = [...new Set([...buyable, ...sellable].map(({ ticks }) => ticks))].sort((a, b) => a - b);
  let demand = buyable.reduce((sum, { lots }) => sum + lots, 0n);
  let supply = 0n;
  let nextSell = 0;
  let nextBuy = buyable.length - 1;
  const spans: Span[] = [];
  const add = (from: number, to: number) => {
    if (from <= to) spans.push({ lowest: from, highest: to, demand, supply, surplus: demand - supply });
  };
  for (const [place, price] of prices.entries()) {
    if (sellable[nextSell]?.ticks === price) supply += sellable[nextSell++]?.lots ?? 0n;
    add(price, price);
    if (buyable[nextBuy]?.ticks === price) demand -= buyable[nextBuy--]?.lots ?? 0n;
    add(price + 1, (prices[place + 1] ?? price + 1) - 1);
  }
  return spans;
}

type Range = { readonly lowest: number; readonly highest: number };

/** Rules 3 and 4. All have the same surplus, on one side or on the other. */
function choose(spans: readonly Span[], referenceTicks: number): { readonly ticks: number; readonly surplus: bigint } {
  const candidates = new Map<bigint, Range>();
  for (const { lowest, highest, surplus } of spans) {
    const known = candidates.get(surplus);
    const range = known === undefined ? { lowest, highest } : { lowest: known.lowest, highest };
    candidates.set(surplus, range);
  }
  const left = [...candidates].map(([surplus, range]) => ({ surplus, ...bySide(range, surplus) }));
  const [first] = left;
  const last = left.at(-1);
  if (first === undefined || last === undefined) throw new Error("there is a price to choose from");
  const reference = referenceTicks === 0 ? Math.floor((first.lowest + last.highest) / 2) : referenceTicks;
  const distances = left.map((range) => ({ ...range, ticks: nearestIn(range, reference) }));
  return distances.reduce((nearest, one) =>
    Math.abs(one.ticks - reference) < Math.abs(nearest.ticks - reference) ? one : nearest,
  );
}

function bySide({ lowest, highest }: Range, surplus: bigint): Range {
  if (surplus > 0n) return { lowest: highest, highest };
  return surplus < 0n ? { lowest, highest: lowest } : { lowest, highest };
}

const nearestIn = ({ lowest, highest }: Range, ticks: number): number => Math.min(Math.max(ticks, lowest), highest);
