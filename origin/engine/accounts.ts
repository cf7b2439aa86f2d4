import type { BalanceRow } from "./changes.ts";
import type { Currency } from "./currencies.ts";
import { NONE } from "./order-slab.ts";
import { setAt, type User } from "./users.ts";

/**
 * One account per user and currency: what is available, and what is frozen behind open orders, in smallest steps. Both stand in arrays
 * of 64-bit integers, so that a balance changes without anything being allocated. Bounds elsewhere (STEPS_MAX) keep them from overflowing.
 */
export type Accounts = {
  available: BigInt64Array;
  frozen: BigInt64Array;
  isTouched: Uint8Array;
  readonly owners: User[];
  readonly currencies: Currency[];
  /** Those that were touched since the changes were last taken, in that order. */
  touched: number[];
};

const ACCOUNTS_AT_FIRST = 1_024;

export function createAccounts(): Accounts {
  return {
    available: new BigInt64Array(ACCOUNTS_AT_FIRST),
    frozen: new BigInt64Array(ACCOUNTS_AT_FIRST),
    isTouched: new Uint8Array(ACCOUNTS_AT_FIRST),
    owners: [],
    currencies: [],
    touched: [],
  };
}

/** An account that was never used is the same as none: both hold nothing. */
export function accountOf(accounts: Accounts, user: User, currency: Currency): number {
  const account = user.accounts[currency.index] ?? NONE;
  return account === NONE ? openAccount(accounts, user, currency) : account;
}

export function availableOf(accounts: Accounts, user: User, currency: Currency): bigint {
  const account = user.accounts[currency.index] ?? NONE;
  return account === NONE ? 0n : (accounts.available[account] as bigint);
}

export function touchAccount(accounts: Accounts, account: number): void {
  if (accounts.isTouched[account] === 1) return;
  accounts.isTouched[account] = 1;
  accounts.touched.push(account);
}

export function takeTouchedBalances(accounts: Accounts): readonly BalanceRow[] {
  const rows = accounts.touched.map((account) => balanceRow(accounts, account));
  for (const account of accounts.touched) accounts.isTouched[account] = 0;
  accounts.touched = [];
  return rows;
}

export function balanceRow(accounts: Accounts, account: number): BalanceRow {
  return {
    user: (accounts.owners[account] as User).name,
    currency: (accounts.currencies[account] as Currency).name,
    available: accounts.available[account] as bigint,
    frozen: accounts.frozen[account] as bigint,
  };
}

function openAccount(accounts: Accounts, user: User, currency: Currency): number {
  const account = accounts.owners.length;
  if (account === accounts.available.length) grow(accounts);
  accounts.owners.push(user);
  accounts.currencies.push(currency);
  setAt(user.accounts, currency.index, account);
  return account;
}

function grow(accounts: Accounts): void {
  const size = accounts.available.length * 2;
  const available = new BigInt64Array(size);
  const frozen = new BigInt64Array(size);
  const isTouched = new Uint8Array(size);
  available.set(accounts.available);
  frozen.set(accounts.frozen);
  isTouched.set(accounts.isTouched);
  Object.assign(accounts, { available, frozen, isTouched });
}
