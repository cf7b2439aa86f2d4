import { type Book, createBook } from "./book.ts";
import type { PairRow } from "./changes.ts";
import type { Currency } from "./currencies.ts";
import type { PairTerms } from "./terms.ts";

export type Pairs = {
  readonly byName: Map<string, Pair>;
  readonly all: Pair[];
  /** By name: an order that does not depend on when a pair became known. */
  readonly sorted: Pair[];
};

/** A pair with its book. The terms that matter to a trade stand here once more, in the form that the arithmetic wants. */
export type Pair = {
  readonly name: string;
  readonly index: number;
  readonly base: Currency;
  readonly quote: Currency;
  readonly book: Book;
  terms: PairTerms;
  unitSteps: bigint;
  lotSteps: bigint;
  version: number;
  grid: number;
  /** Of the last trade; 0 before the first. */
  lastTicks: number;
  openOrders: number;
  isTouched: boolean;
};

export type NewPair = { readonly terms: PairTerms; readonly base: Currency; readonly quote: Currency };

export function createPairs(): Pairs {
  return { byName: new Map(), all: [], sorted: [] };
}

export function addPair({ byName, all, sorted }: Pairs, { terms, base, quote }: NewPair): Pair {
  const pair: Pair = {
    name: terms.pair,
    index: all.length,
    base,
    quote,
    book: createBook(),
    terms,
    unitSteps: unitStepsOf(terms, base),
    lotSteps: terms.lotSteps,
    version: 1,
    grid: 1,
    lastTicks: 0,
    openOrders: 0,
    isTouched: false,
  };
  byName.set(pair.name, pair);
  all.push(pair);
  sorted.push(pair);
  sorted.sort((a, b) => (a.name < b.name ? -1 : 1));
  return pair;
}

export function setTerms(pair: Pair, terms: PairTerms): void {
  pair.terms = terms;
  pair.unitSteps = unitStepsOf(terms, pair.base);
  pair.lotSteps = terms.lotSteps;
}

/** What one tick times one lot is worth. Terms under which this is no whole number are refused (`pair-terms.ts`). */
export function unitStepsOf({ tickSteps, lotSteps }: PairTerms, base: Currency): bigint {
  return (tickSteps * lotSteps) / 10n ** BigInt(base.scale);
}

export function pairRow({ terms, version, grid, lastTicks }: Pair): PairRow {
  return { ...terms, version, grid, lastTicks };
}
