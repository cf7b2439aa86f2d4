import type { CurrencyRow } from "./changes.ts";

export type Currencies = { readonly byName: Map<string, Currency>; readonly all: Currency[] };

export type Currency = {
  readonly name: string;
  readonly index: number;
  readonly scale: number;
  /** All deposits less all withdrawals: what all balances together must be. */
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
