import { type AuctionProgress, NO_AUCTION } from "./auction/auction.ts";
import { type Book, createBook } from "./book/book.ts";
import type { OrderKind } from "./change-log.ts";
import type { CurrencyRow, PairRow, WaveRow } from "./changes.ts";
import { createTriggers, NEVER_FALLING, NEVER_RISING, type Triggers, type Wave } from "./conditions/triggers.ts";
import type { PairTerms } from "./terms.ts";

export type Pairs = {
  readonly byName: Map<string, Pair>;
  readonly all: Pair[];
  /** By name: an order that does not depend on when a pair became known. */
  readonly sorted: Pair[];
};

/** A pair with its book. The terms of a trade are repeated here in the form that the arithmetic needs. */
export type Pair = {
  readonly name: string;
  readonly index: number;
  readonly base: Currency;
  readonly quote: Currency;
  readonly book: Book;
  terms: PairTerms;
  unitSteps: bigint;
  lotSteps: bigint;
  /** The same as doubles: exact as far as their products are safe integers. */
  unit: number;
  lot: number;
  valueMin: number;
  version: number;
  grid: number;
  /** Of the last trade; 0 before the first. */
  lastTicks: number;
  auction: AuctionProgress;
  /** Orders that are only for the opening of an auction, by id, the oldest first. */
  readonly onOpen: Map<number, OrderKind>;
  /** Pending ones included. */
  openOrders: number;
  /** A trade at this price or beyond may reach a trigger. */
  risingAt: number;
  fallingAt: number;
  readonly triggers: Triggers;
  /** Triggers that were reached and have not all run. */
  readonly waves: Wave[];
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
    unit: 0,
    lot: 0,
    valueMin: 0,
    version: 1,
    grid: 1,
    lastTicks: 0,
    auction: NO_AUCTION,
    onOpen: new Map(),
    openOrders: 0,
    risingAt: NEVER_RISING,
    fallingAt: NEVER_FALLING,
    triggers: createTriggers(),
    waves: [],
    isTouched: false,
  };
  setTerms(pair, terms);
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
  pair.unit = Number(pair.unitSteps);
  pair.lot = Number(terms.lotSteps);
  pair.valueMin = Number(terms.valueStepsMin);
}

/** The value of one tick times one lot. Terms under which this is no whole number are refused (`configure.ts`). */
export function unitStepsOf({ tickSteps, lotSteps }: PairTerms, base: Currency): bigint {
  return (tickSteps * lotSteps) / 10n ** BigInt(base.scale);
}

export function pairRow({ terms, version, grid, lastTicks, auction, waves }: Pair): PairRow {
  const row = { ...terms, version, grid, lastTicks, auction };
  return waves.length === 0 ? row : { ...row, waves: waves.map(waveRow) };
}

function waveRow({ as, isRising, fromTicks, toTicks, before }: Wave): WaveRow {
  return { as, isRising, fromTicks, toTicks, before };
}

export type Currencies = { readonly byName: Map<string, Currency>; readonly all: Currency[] };

export type Currency = {
  readonly name: string;
  readonly index: number;
  readonly scale: number;
  /** All deposits less all withdrawals: the sum of all balances must equal it. */
  supply: bigint;
  isTouched: boolean;
};

export function createCurrencies(): Currencies {
  return { byName: new Map(), all: [] };
}

export function addCurrency({ byName, all }: Currencies, name: string, scale: number): Currency {
  const currency: Currency = { name, index: all.length, scale, supply: 0n, isTouched: false };
  byName.set(name, currency);
  all.push(currency);
  return currency;
}

export function currencyRow({ name, scale, supply }: Currency): CurrencyRow {
  return { currency: name, scale, supply };
}
