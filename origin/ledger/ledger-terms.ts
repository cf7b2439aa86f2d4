import type { MoneyChanges } from "../commit/journal-body.ts";

/** What the ledger has to know of currencies and pairs to write amounts as decimals. Comes from the journal itself, and is kept with the ledger. */
export type LedgerTerms = {
  readonly scaleOf: (currency: string) => number | undefined;
  readonly gridOf: (pair: string, grid: number) => Grid | undefined;
  readonly learn: (facts: TermFacts) => void;
};

export type Grid = {
  readonly pair: string;
  readonly grid: number;
  readonly baseCurrency: string;
  readonly quoteCurrency: string;
  readonly tickSteps: bigint;
  readonly lotSteps: bigint;
};

export type TermFacts = {
  readonly currencies: readonly { readonly currency: string; readonly scale: number }[];
  readonly pairs: readonly Grid[];
};

export function createLedgerTerms(): LedgerTerms {
  const scales = new Map<string, number>();
  const grids = new Map<string, Grid>();
  return {
    scaleOf: (currency) => scales.get(currency),
    gridOf: (pair, grid) => grids.get(`${pair} ${grid}`),
    learn: ({ currencies, pairs }) => {
      for (const { currency, scale } of currencies) scales.set(currency, scale);
      for (const row of pairs) grids.set(`${row.pair} ${row.grid}`, row);
    },
  };
}

/** What a batch of entries says of terms that the ledger does not hold yet. */
export function newTermsIn(all: readonly MoneyChanges[], kept: LedgerTerms): TermFacts {
  const currencies = new Map<string, TermFacts["currencies"][number]>();
  const pairs = new Map<string, Grid>();
  for (const changes of all) {
    for (const row of changes.currencies) if (kept.scaleOf(row.currency) === undefined) currencies.set(row.currency, row);
    for (const row of changes.pairs) if (kept.gridOf(row.pair, row.grid) === undefined) pairs.set(`${row.pair} ${row.grid}`, row);
  }
  return { currencies: [...currencies.values()], pairs: [...pairs.values()] };
}
