import { balanceRow, currencyOf, eachAccount, ownerOfAccount, userRow } from "./accounts.ts";
import { firstOrder, type Ladder, nextOrder } from "./book/book.ts";
import { isShared, ownerOf, reservedBy } from "./book/open-orders.ts";
import { BUY, findSlot, NONE, remainingLots, wordOf } from "./book/order-slab.ts";
import { openRow } from "./change-log.ts";
import { conditionOf, priorityOf } from "./conditions/condition.ts";
import { type List, listRow } from "./conditions/list.ts";
import { conditionFaults } from "./conditions/verify-conditions.ts";
import { addHash, formatHash, type Hash, hashText } from "./hash.ts";
import { currencyRow, type Pair, pairRow } from "./pairs.ts";
import type { EngineState } from "./state.ts";

/** Checks the whole state, and returns its faults in sentences. */
export function verifyState(state: EngineState): readonly string[] {
  const faults: string[] = [];
  let openOrders = 0;
  for (const pair of state.pairs.all) {
    const before = openOrders;
    for (const ladder of [pair.book.buys, pair.book.sells]) {
      faults.push(...ladderFaults(state, ladder));
      eachOrder(state, ladder, () => openOrders++);
    }
    const pending = conditionFaults(state, pair);
    faults.push(...pending.faults);
    openOrders += pending.count;
    if (openOrders - before !== pair.openOrders)
      faults.push(`${pair.name} counts ${pair.openOrders} open orders, its book has others`);
    if (pair.auction.phase === "none" && isCrossed(state, pair)) faults.push(`the book of ${pair.name} is crossed`);
  }
  if (openOrders !== state.openOrders)
    faults.push(`${state.openOrders} open orders are counted, ${openOrders} are in the books`);
  return [...faults, ...userFaults(state), ...moneyFaults(state, reservationsOf(state))];
}

/** By account: what the orders keep frozen, and what lists keep frozen for two of them together. */
function reservationsOf(state: EngineState): ReadonlyMap<number, bigint> {
  const reservations = new Map<number, bigint>();
  const seen = new Set<List>();
  eachOpen(state, (slot) => {
    const account = state.orders.pays[slot] as number;
    const condition = conditionOf(state, slot);
    const list = condition !== undefined && isShared(condition) ? condition.list : undefined;
    const shared = list === undefined || seen.has(list) ? 0n : list.reserved;
    if (list !== undefined) seen.add(list);
    reservations.set(account, (reservations.get(account) ?? 0n) + reservedBy(state, slot) + shared);
  });
  return reservations;
}

/** Every open or pending order, by its user. */
function eachOpen({ users, orders }: EngineState, visit: (slot: number) => void): void {
  for (const user of users.all)
    for (const oldest of user.oldestOpen)
      for (let slot = oldest; slot !== NONE; slot = orders.userYounger[slot] as number) visit(slot);
}

function isCrossed({ orders }: EngineState, { book }: Pair): boolean {
  const [buy, sell] = [firstOrder(book.buys), firstOrder(book.sells)];
  return buy !== NONE && sell !== NONE && (orders.ticks[buy] as number) >= (orders.ticks[sell] as number);
}

/** Better prices first, lower priorities first within a price; every order open, indexed, and of this pair. */
function ladderFaults(state: EngineState, ladder: Ladder): readonly string[] {
  const { orders } = state;
  const faults: string[] = [];
  let before = NONE;
  eachOrder(state, ladder, (slot) => {
    const id = orders.id[wordOf(slot)] as number;
    if (before !== NONE && !isInOrder(state, { before, slot }))
      faults.push(`order ${id} stands behind one that it comes before`);
    if (!(remainingLots(orders, slot) > 0)) faults.push(`order ${id} rests with nothing left`);
    if (findSlot(state.index, id) !== slot) faults.push(`order ${id} is not found by its id`);
    if (id >= state.nextOrderId) faults.push(`order ${id} is newer than the next one`);
    before = slot;
  });
  return faults;
}

function isInOrder(state: EngineState, { before, slot }: { readonly before: number; readonly slot: number }): boolean {
  const { orders } = state;
  const difference = (orders.ticks[slot] as number) - (orders.ticks[before] as number);
  if (difference === 0) return priorityOf(state, slot) > priorityOf(state, before);
  return orders.side[slot] === BUY ? difference < 0 : difference > 0;
}

/** Each user's list of open orders against the index, which the books agree with. */
function userFaults(state: EngineState): readonly string[] {
  const { orders } = state;
  const faults: string[] = [];
  for (const user of state.users.all) {
    let listed = 0;
    for (const oldest of user.oldestOpen) {
      for (let slot = oldest; slot !== NONE; slot = orders.userYounger[slot] as number) {
        listed++;
        const isTheirs =
          ownerOf(state, slot) === user && findSlot(state.index, orders.id[wordOf(slot)] as number) === slot;
        if (!isTheirs) faults.push(`${user.name} lists an order that is not theirs or not open`);
      }
    }
    if (listed !== user.openOrders)
      faults.push(`${user.name} counts ${user.openOrders} open orders and lists ${listed}`);
  }
  return faults;
}

/** No balance is negative, frozen equals the reservations of open orders, and all balances add up to the supply. */
function moneyFaults(
  { accounts, currencies }: EngineState,
  reservations: ReadonlyMap<number, bigint>,
): readonly string[] {
  const faults: string[] = [];
  const sums = new Map(currencies.all.map((currency) => [currency, 0n]));
  eachAccount(accounts, (account) => {
    const currency = currencyOf(accounts, account);
    const { available, frozen } = balanceRow(accounts, account);
    const whose = `${ownerOfAccount(accounts, account).name}'s ${currency.name}`;
    if (available < 0n || frozen < 0n)
      faults.push(`${whose} is below nothing: ${available} available, ${frozen} frozen`);
    const reserved = reservations.get(account) ?? 0n;
    if (frozen !== reserved) faults.push(`${whose}: ${frozen} is frozen, open orders reserve ${reserved}`);
    sums.set(currency, (sums.get(currency) ?? 0n) + available + frozen);
  });
  for (const [{ name, supply }, sum] of sums) {
    if (sum !== supply)
      faults.push(`all balances of ${name} together are ${sum}, and ${supply} came in and did not go out`);
  }
  return faults;
}

/**
 * Hashes everything that decides the engine's future, and nothing else: not storage positions, expired entries or empty
 * accounts. Names are left out, because some are only in the store; their counts per user are included. Each row is
 * hashed with its kind, and the hashes are added up.
 */
export function stateHash(state: EngineState): string {
  const sum: Hash = { low: 0, high: 0 };
  const add = (kind: string, row: object) => addHash(sum, hashText(`${kind}\n${textOf(row)}`));
  const { at, nextOrderId, nextTradeId, references } = state;
  add("counters", { at, nextOrderId, nextTradeId });
  for (const currency of state.currencies.all) add("currency", currencyRow(currency));
  for (const pair of state.pairs.all) {
    const { waves = [], auction, ...row } = pairRow(pair);
    add("pair", row);
    add("auction", { pair: pair.name, ...auction });
    for (const wave of waves) add("wave", { ...wave, pair: pair.name });
  }
  eachOpen(state, (slot) => {
    const { conditions, ...row } = openRow(state, slot);
    add("order", { ...row, ...conditions });
    const list = conditionOf(state, slot)?.list;
    if (list !== undefined) add("list", { ...listRow(list), of: row.id });
  });
  for (const user of state.users.all) {
    add("user", userRow(user));
    const { name, namedByHour } = user;
    for (let place = 0; place < namedByHour.length; place += 2) {
      const [hour, number] = [namedByHour[place] as number, namedByHour[place + 1] as number];
      if (hour >= references.firstHour) add("named", { user: name, hour, number });
    }
  }
  for (const [second, ids] of state.nonces.bySecond) for (const id of ids) add("nonce", { id, second });
  eachAccount(state.accounts, (account) => {
    const row = balanceRow(state.accounts, account);
    if (row.available !== 0n || row.frozen !== 0n) add("balance", row);
  });
  return formatHash(sum);
}

/** The best first, the older first. */
function eachOrder({ orders }: EngineState, ladder: Ladder, visit: (slot: number) => void): void {
  for (let slot = firstOrder(ladder); slot !== NONE; slot = nextOrder(ladder, { orders, slot })) visit(slot);
}

function textOf(row: object): string {
  return Object.entries(row)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("\n");
}
