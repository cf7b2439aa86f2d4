import { assert } from "../../shared/assert.ts";
import type { CurrencyRow, PairRow } from "../engine/changes.ts";
import type { Grid } from "./grid.ts";

/**
 * Every currency and grid that the owner has learned from the journal, from Redis or from the ledger. A pair keeps its
 * earlier grids, because an order or a trade names the grid that it was counted in.
 */
export type Grids = {
  readonly learn: (terms: GridTerms) => void;
  readonly scaleOf: (currency: string) => number;
  readonly of: (pair: string, grid: number) => Grid;
  /** Undefined for a currency or a grid that was not learned. */
  readonly findScale: (currency: string) => number | undefined;
  readonly find: (pair: string, grid: number) => Grid | undefined;
};

export type GridRow = Pick<PairRow, "pair" | "grid" | "baseCurrency" | "quoteCurrency" | "tickSteps" | "lotSteps">;

export type GridTerms = {
  readonly currencies: readonly Pick<CurrencyRow, "currency" | "scale">[];
  readonly pairs: readonly GridRow[];
};

/** With `known`, the new grids add to those and leave them unchanged. */
export function createGrids(known?: Grids): Grids {
  const scales = new Map<string, number>();
  const grids = new Map<string, Grid>();
  const keyOf = (pair: string, grid: number) => `${pair} ${grid}`;
  const findScale = (currency: string) => scales.get(currency) ?? known?.findScale(currency);
  const find = (pair: string, grid: number) => grids.get(keyOf(pair, grid)) ?? known?.find(pair, grid);

  function learnPair({ pair, grid, baseCurrency, quoteCurrency, tickSteps, lotSteps }: GridRow): void {
    const baseScale = findScale(baseCurrency);
    const quoteScale = findScale(quoteCurrency);
    if (baseScale === undefined || quoteScale === undefined) return;
    grids.set(keyOf(pair, grid), {
      pair,
      grid,
      baseCurrency,
      quoteCurrency,
      baseScale,
      quoteScale,
      tickSteps,
      lotSteps,
    });
  }

  return {
    learn({ currencies, pairs }) {
      for (const { currency, scale } of currencies) scales.set(currency, scale);
      for (const row of pairs) learnPair(row);
    },
    findScale,
    find,
    scaleOf(currency) {
      const scale = findScale(currency);
      assert(scale !== undefined, "the journal defines a currency before any amount of it");
      return scale;
    },
    of(pair, grid) {
      const found = find(pair, grid);
      assert(found !== undefined, "the journal defines a grid before any order on it");
      return found;
    },
  };
}
