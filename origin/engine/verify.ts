import { balanceRow, currencyOf, eachAccount, ownerOfAccount } from "./accounts.ts";
import { firstOrder } from "./book.ts";
import type { Ladder } from "./ladder.ts";
import { ownerOf, reservationOf } from "./open-orders.ts";
import { findSlot } from "./order-index.ts";
import { BUY, NONE, remainingLots, wordOf } from "./order-slab.ts";
import type { Pair } from "./pairs.ts";
import type { EngineState } from "./state.ts";
import { eachOrder } from "./state-hash.ts";

/** Looks at everything, and says what is wrong in sentences; nothing when all is well. */
export function verifyState(state: EngineState): readonly string[] {
  const faults: string[] = [];
  const reservations = new Map<number, bigint>();
  let openOrders = 0;
  for (const pair of state.pairs.all) {
    const before = openOrders;
    for (const ladder of [pair.book.buys, pair.book.sells]) {
      faults.push(...ladderFaults(state, ladder));
      eachOrder(state, ladder, (slot) => {
        openOrders++;
        const account = state.orders.pays[slot] as number;
        reservations.set(account, (reservations.get(account) ?? 0n) + reservationOf(state, slot));
      });
    }
    if (openOrders - before !== pair.openOrders) faults.push(`${pair.name} counts ${pair.openOrders} open orders, its book has others`);
    if (isCrossed(state, pair)) faults.push(`the book of ${pair.name} is crossed`);
  }
  if (openOrders !== state.openOrders) faults.push(`${state.openOrders} open orders are counted, ${openOrders} stand in the books`);
  return [...faults, ...userFaults(state), ...moneyFaults(state, reservations)];
}

function isCrossed({ orders }: EngineState, { book }: Pair): boolean {
  const [buy, sell] = [firstOrder(book.buys), firstOrder(book.sells)];
  return buy !== NONE && sell !== NONE && (orders.ticks[buy] as number) >= (orders.ticks[sell] as number);
}

/** Better prices first, lower ids first within a price; every order open, indexed, and of this pair. */
function ladderFaults(state: EngineState, ladder: Ladder): readonly string[] {
  const { orders } = state;
  const faults: string[] = [];
  let before = NONE;
  eachOrder(state, ladder, (slot) => {
    const id = orders.id[wordOf(slot)] as number;
    if (before !== NONE && !isInOrder(state, { before, slot })) faults.push(`order ${id} stands behind one that it comes before`);
    if (!(remainingLots(orders, slot) > 0)) faults.push(`order ${id} rests with nothing left`);
    if (findSlot(state.index, id) !== slot) faults.push(`order ${id} is not found by its id`);
    if (id >= state.nextOrderId) faults.push(`order ${id} is newer than the next one`);
    before = slot;
  });
  return faults;
}

function isInOrder({ orders }: EngineState, { before, slot }: { readonly before: number; readonly slot: number }): boolean {
  const difference = (orders.ticks[slot] as number) - (orders.ticks[before] as number);
  if (difference === 0) return (orders.id[wordOf(slot)] as number) > (orders.id[wordOf(before)] as number);
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
        const isTheirs = ownerOf(state, slot) === user && findSlot(state.index, orders.id[wordOf(slot)] as number) === slot;
        if (!isTheirs) faults.push(`${user.name} lists an order that is not theirs or not open`);
      }
    }
    if (listed !== user.openOrders) faults.push(`${user.name} counts ${user.openOrders} open orders and lists ${listed}`);
  }
  return faults;
}

/** No balance below nothing, frozen is what open orders reserve, and all balances together are what came in and did not go out. */
function moneyFaults({ accounts, currencies }: EngineState, reservations: ReadonlyMap<number, bigint>): readonly string[] {
  const faults: string[] = [];
  const sums = new Map(currencies.all.map((currency) => [currency, 0n]));
  eachAccount(accounts, (account) => {
    const currency = currencyOf(accounts, account);
    const { available, frozen } = balanceRow(accounts, account);
    const whose = `${ownerOfAccount(accounts, account).name}'s ${currency.name}`;
    if (available < 0n || frozen < 0n) faults.push(`${whose} is below nothing: ${available} available, ${frozen} frozen`);
    const reserved = reservations.get(account) ?? 0n;
    if (frozen !== reserved) faults.push(`${whose}: ${frozen} is frozen, open orders reserve ${reserved}`);
    sums.set(currency, (sums.get(currency) ?? 0n) + available + frozen);
  });
  for (const [{ name, supply }, sum] of sums) {
    if (sum !== supply) faults.push(`all balances of ${name} together are ${sum}, and ${supply} came in and did not go out`);
  }
  return faults;
}
