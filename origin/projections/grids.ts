import { assert } from "../../shared/assert.ts";
import type { CurrencyRow, PairRow } from "../engine/changes.ts";
import { decimal, decimalOfMultiple, stepsOf } from "./decimal.ts";

/** Knows what a tick and a lot are worth, so that rows can be told in decimals. */
export type Grids = {
  readonly putCurrency: (row: Pick<CurrencyRow, "currency" | "scale">) => void;
  readonly putPair: (row: Pick<PairRow, "pair" | "grid" | "baseCurrency" | "quoteCurrency" | "tickSteps" | "lotSteps">) => void;
  readonly scaleOf: (currency: string) => number;
  readonly of: (pair: string, grid: number) => Grid;
  /** Undefined for one that was not told. */
  readonly find: (pair: string, grid: number) => Grid | undefined;
};

export type Grid = {
  readonly baseScale: number;
  readonly quoteScale: number;
  readonly price: (ticks: number) => string;
  readonly quantity: (lots: number) => string;
  /** Of many orders together. */
  readonly quantityOf: (lots: bigint) => string;
  readonly quote: (steps: bigint) => string;
  readonly base: (steps: bigint) => string;
  /** And back. */
  readonly ticksOf: (price: string) => number;
  readonly lotsOf: (quantity: string) => number;
  readonly quoteSteps: (text: string) => bigint;
  readonly baseSteps: (text: string) => bigint;
};

export function createGrids(): Grids {
  const scales = new Map<string, number>();
  const grids = new Map<string, Grid>();

  function scaleOf(currency: string): number {
    const scale = scales.get(currency);
    assert(scale !== undefined, "a currency is told before anything is counted in it");
    return scale;
  }

  const find = (pair: string, grid: number) => grids.get(`${pair} ${grid}`);

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
        price: (ticks) => decimalOfMultiple(ticks, tickSteps, quoteScale),
        quantity: (lots) => decimalOfMultiple(lots, lotSteps, baseScale),
        quantityOf: (lots) => decimal(lots * lotSteps, baseScale),
        quote: (steps) => decimal(steps, quoteScale),
        base: (steps) => decimal(steps, baseScale),
        ticksOf: (price) => Number(stepsOf(price, quoteScale) / tickSteps),
        lotsOf: (quantity) => Number(stepsOf(quantity, baseScale) / lotSteps),
        quoteSteps: (text) => stepsOf(text, quoteScale),
        baseSteps: (text) => stepsOf(text, baseScale),
      });
    },
    find,
    of(pair, grid) {
      const known = find(pair, grid);
      assert(known !== undefined, "a pair is told before anything is traded in it");
      return known;
    },
  };
}
