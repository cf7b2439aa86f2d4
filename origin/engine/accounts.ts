import { assert } from "../../shared/assert.ts";
import { NONE } from "./book/order-slab.ts";
import type { BalanceRow, UserRow } from "./changes.ts";
import type { Timer } from "./conditions/timers.ts";
import type { NamedByHour, Reference } from "./names/references.ts";
import type { Currency } from "./pairs.ts";

/**
 * One account per user and currency: the available amount, and the amount frozen for open orders, in smallest steps.
 * Both are adjacent 64-bit integers, so that a balance changes without an allocation; an account is the index of its
 * first word. Bounds elsewhere (STEPS_MAX) keep them from overflowing.
 */
export type Accounts = {
  available: BigInt64Array;
  frozen: BigInt64Array;
  isTouched: Float64Array;
  /** The end of the last account. */
  used: number;
  readonly owners: User[];
  readonly currencies: Currency[];
  /** The accounts touched since the changes were last taken, in that order. */
  touched: number[];
};

const ACCOUNTS_AT_FIRST = 1_024;
const WORDS_PER_ACCOUNT = 4;
const WORD_BYTES = 8;
/** Half of the 32-bit range: the memory is doubled once more after this. */
const PLACES_MAX = 2 ** 30;

export function createAccounts(): Accounts {
  return {
    ...viewsOf(new ArrayBuffer(ACCOUNTS_AT_FIRST * WORDS_PER_ACCOUNT * WORD_BYTES)),
    used: 0,
    owners: [],
    currencies: [],
    touched: [],
  };
}

function viewsOf(memory: ArrayBuffer): Pick<Accounts, "available" | "frozen" | "isTouched"> {
  return {
    available: new BigInt64Array(memory),
    frozen: new BigInt64Array(memory, WORD_BYTES),
    isTouched: new Float64Array(memory, WORD_BYTES * 2),
  };
}

/** Every account, in the order in which they were opened. */
export function eachAccount({ used }: Accounts, visit: (account: number) => void): void {
  for (let account = 0; account < used; account += WORDS_PER_ACCOUNT) visit(account);
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
  const rows: BalanceRow[] = [];
  for (const account of accounts.touched) {
    accounts.isTouched[account] = 0;
    rows.push(balanceRow(accounts, account));
  }
  accounts.touched = [];
  return rows;
}

export function balanceRow(accounts: Accounts, account: number): BalanceRow {
  return {
    user: ownerOfAccount(accounts, account).name,
    currency: currencyOf(accounts, account).name,
    available: accounts.available[account] as bigint,
    frozen: accounts.frozen[account] as bigint,
  };
}

export function ownerOfAccount({ owners }: Accounts, account: number): User {
  return owners[account / WORDS_PER_ACCOUNT] as User;
}

export function currencyOf({ currencies }: Accounts, account: number): Currency {
  return currencies[account / WORDS_PER_ACCOUNT] as Currency;
}

function openAccount(accounts: Accounts, user: User, currency: Currency): number {
  const account = accounts.used;
  if (account + WORDS_PER_ACCOUNT > accounts.available.length) grow(accounts);
  accounts.used += WORDS_PER_ACCOUNT;
  accounts.owners.push(user);
  accounts.currencies.push(currency);
  setAt(user.accounts, currency.index, account);
  return account;
}

function grow(accounts: Accounts): void {
  assert(accounts.available.length < PLACES_MAX, "an account's place fits into the 32 bits that an order has for it");
  const before = new Uint8Array(accounts.available.buffer);
  const memory = new ArrayBuffer(before.length * 2);
  new Uint8Array(memory).set(before);
  Object.assign(accounts, viewsOf(memory));
}

/** Every user the engine knows: those who received money or were frozen. */
export type Users = { readonly byName: Map<string, User>; readonly all: User[] };

export type User = {
  readonly name: string;
  readonly index: number;
  isFrozen: boolean;
  /** The dead man's switch: when all orders of the user are cancelled. Made when it is first set. */
  cancelTimer: Timer | undefined;
  isTouched: boolean;
  /** By currency: the account, or `NONE`. */
  readonly accounts: number[];
  openOrders: number;
  /** By pair: the oldest and the youngest open order, or `NONE`. */
  readonly oldestOpen: number[];
  readonly youngestOpen: number[];
  /** By client order id. */
  readonly orderNames: Map<string, Reference>;
  /** By kind and reference. */
  readonly movementNames: Map<string, Reference>;
  readonly namedByHour: NamedByHour;
};

export function createUsers(): Users {
  return { byName: new Map(), all: [] };
}

export function userNamed(users: Users, name: string): User {
  return users.byName.get(name) ?? addUser(users, name);
}

function addUser(users: Users, name: string): User {
  const user: User = {
    name,
    index: users.all.length,
    isFrozen: false,
    cancelTimer: undefined,
    isTouched: false,
    accounts: [],
    openOrders: 0,
    oldestOpen: [],
    youngestOpen: [],
    orderNames: new Map(),
    movementNames: new Map(),
    namedByHour: [],
  };
  users.byName.set(name, user);
  users.all.push(user);
  return user;
}

export function userRow({ name, isFrozen, cancelTimer }: User): UserRow {
  const cancelAt = cancelTimer?.dueAt ?? 0;
  return cancelAt === 0 ? { user: name, isFrozen } : { user: name, isFrozen, cancelAt };
}

/** Lists by currency or pair grow as needed. */
export function setAt(list: number[], index: number, value: number): void {
  while (list.length <= index) list.push(NONE);
  list[index] = value;
}
