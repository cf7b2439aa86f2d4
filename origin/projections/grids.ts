import { assert } from "../../shared/assert.ts";
import type { CurrencyRow, PairRow } from "../engine/changes.ts";
import { decimal } from "./decimal.ts";

/** Knows what a tick and a lot are worth, so that rows can be told in decimals. */
export type Grids = {
  readonly putCurrency: (row: Pick<CurrencyRow, "currency" | "scale">) => void;
  readonly putPair: (row: Pick<PairRow, "pair" | "grid" | "baseCurrency" | "quoteCurrency" | "tickSteps" | "lotSteps">) => void;
  readonly scaleOf: (currency: string) => number;
  readonly of: (pair: string, grid: number) => Grid;
};

export type Grid = {
  readonly baseScale: number;
  readonly quoteScale: number;
  readonly price: (ticks: number) => string;
  readonly quantity: (lots: number | bigint) => string;
  readonly quote: (steps: bigint) => string;
  readonly base: (steps: bigint) => string;
};

export function createGrids(): Grids {
  const scales = new Map<string, number>();
  const grids = new Map<string, Grid>();

  function scaleOf(currency: string): number {
    const scale = scales.get(currency);
    assert(scale !== undefined, "a currency is told before anything is counted in it");
    return scale;
  }

  return {
    scaleOf,
    putCurrency: ({ currency, scale }) => void scales.set(currency, scale),
    putPair(row) {
      const baseScale = scaleOf(row.baseCurrency);
      const quoteScale = scaleOf(row.quoteCurrency);
      const { tickSteps, lotSteps } = row;
      grids.set(`${row.pair} ${row.grid}`, {
        baseScale,
        quoteScale,
        price: (ticks) => decimal(BigInt(ticks) * tickSteps, quoteScale),
        quantity: (lots) => decimal(BigInt(lots) * lotSteps, baseScale),
        quote: (steps) => decimal(steps, quoteScale),
        base: (steps) => decimal(steps, baseScale),
      });
    },
    of(pair, grid) {
      const known = grids.get(`${pair} ${grid}`);
      assert(known !== undefined, "a pair is told before anything is traded in it");
      return known;
    },
  };
}
