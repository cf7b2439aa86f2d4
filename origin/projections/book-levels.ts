import type { OrderRow } from "../engine/changes.ts";

/**
 * How much stands at each price, from rows that say how each order stands now. Of an order only what is left of it is remembered, so that
 * a row that comes twice, or after later ones were left out, changes nothing.
 */
export type BookLevels = {
  readonly put: (order: OrderRow) => void;
  readonly best: (pair: string, depth: number) => { readonly bids: readonly Level[]; readonly asks: readonly Level[] };
};

export type Level = { readonly ticks: number; readonly lots: bigint; readonly grid: number };

type Rest = { readonly pair: string; readonly side: "buy" | "sell"; readonly ticks: number; readonly lots: number };
type Side = Map<number, { lots: bigint; grid: number }>;

export function createBookLevels(): BookLevels {
  const rests = new Map<number, Rest>();
  const sides = new Map<string, Side>();

  function sideOf(pair: string, side: "buy" | "sell"): Side {
    const name = `${side} ${pair}`;
    const known = sides.get(name) ?? new Map();
    sides.set(name, known);
    return known;
  }

  function add({ pair, side, ticks, lots }: Rest, grid: number, sign: 1n | -1n): void {
    const levels = sideOf(pair, side);
    const sum = (levels.get(ticks)?.lots ?? 0n) + sign * BigInt(lots);
    if (sum === 0n) levels.delete(ticks);
    else levels.set(ticks, { lots: sum, grid });
  }

  return {
    put({ id, pair, grid, side, ticks, lots, filledLots, status }) {
      const before = rests.get(id);
      if (before !== undefined) add(before, grid, -1n);
      if (status === "open" || status === "partiallyFilled") {
        const rest = { pair, side, ticks, lots: lots - filledLots };
        rests.set(id, rest);
        add(rest, grid, 1n);
      } else {
        rests.delete(id);
      }
    },
    best: (pair, depth) => ({
      bids: firstOf(sideOf(pair, "buy"), depth, (a, b) => b.ticks - a.ticks),
      asks: firstOf(sideOf(pair, "sell"), depth, (a, b) => a.ticks - b.ticks),
    }),
  };
}

function firstOf(side: Side, depth: number, compare: (a: Level, b: Level) => number): readonly Level[] {
  return Array.from(side, ([ticks, level]) => ({ ticks, ...level }))
    .sort(compare)
    .slice(0, depth);
}
