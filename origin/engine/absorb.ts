import { assert } from "../../shared/assert.ts";
import { accountOf, setAt, userNamed } from "./accounts.ts";
import { noteOnOpen } from "./auction/place-in-auction.ts";
import { leavePlace, listOrder, releaseSlot, withdrawOrder } from "./book/open-orders.ts";
import { BUY, findSlot, NONE, nameSlot, SELL, takeSlot, wordOf } from "./book/order-slab.ts";
import type { BalanceRow, Changes, CurrencyRow, OrderRow, PairRow, ReferenceRow, UserRow } from "./changes.ts";
import {
  absorbList,
  absorbWaves,
  enterPlace,
  isSamePlace,
  refreshPrices,
  writeCondition,
} from "./conditions/absorb-conditions.ts";
import { setTimer } from "./conditions/timers.ts";
import { forgetNonces, rememberNonce } from "./names/nonces.ts";
import {
  findReference,
  forgetHours,
  HOUR_MS,
  isCounted,
  NOT_KNOWN_YET,
  nameIt,
  remember,
  takeCount,
} from "./names/references.ts";
import { addCurrency, addPair, type Currency, type Pair, setTerms } from "./pairs.ts";
import type { EngineState } from "./state.ts";
import { isLive, isResting } from "./terms.ts";

/** Brings the state to the rows. Rows that were absorbed before change nothing, so that an entry may be read twice. */
export function absorbChanges(state: EngineState, changes: Changes): void {
  state.at = Math.max(state.at, changes.at);
  state.nextOrderId = Math.max(state.nextOrderId, changes.nextOrderId);
  state.nextTradeId = Math.max(state.nextTradeId, changes.nextTradeId);
  forgetHours(state.references, state.at);
  forgetNonces(state.nonces, state.at);
  for (const row of changes.currencies) absorbCurrency(state, row);
  for (const row of changes.pairs) absorbPair(state, row);
  for (const row of changes.users) absorbUser(state, row);
  for (const row of changes.balances) absorbBalance(state, row);
  // An order may have taken the room of one that ended.
  for (const row of changes.orders) if (!isLive(row.status)) absorbOrder(state, row);
  const entering = changes.orders.filter((row) => isLive(row.status) && absorbOrder(state, row));
  entering.sort((first, second) => priorityOf(first) - priorityOf(second));
  for (const row of entering) enterPlace(state, findSlot(state.index, row.id), row);
  refreshPrices(state, changes.orders);
  for (const row of changes.lists ?? []) absorbList(state, row);
  for (const row of changes.references) absorbReference(state, row);
  for (const nonce of changes.nonces ?? []) rememberNonce(state, nonce);
}

function absorbCurrency({ currencies }: EngineState, { currency, scale, supply }: CurrencyRow): void {
  const known = currencies.byName.get(currency) ?? addCurrency(currencies, currency, scale);
  known.supply = supply;
}

const priorityOf = ({ id, conditions }: OrderRow) => conditions?.priority || id;

function absorbUser(state: EngineState, { user: name, isFrozen, cancelAt = 0 }: UserRow): void {
  const user = userNamed(state.users, name);
  user.isFrozen = isFrozen;
  if ((user.cancelTimer?.dueAt ?? 0) === cancelAt) return;
  user.cancelTimer ??= { dueAt: 0, place: -1, orderId: 0, user };
  setTimer(state.timers, user.cancelTimer, cancelAt);
}

function absorbPair(state: EngineState, { version, grid, lastTicks, auction, waves = [], ...terms }: PairRow): void {
  const base = currencyNamed(state, terms.baseCurrency);
  const quote = currencyNamed(state, terms.quoteCurrency);
  const pair = state.pairs.byName.get(terms.pair) ?? addPair(state.pairs, { terms, base, quote });
  setTerms(pair, terms);
  Object.assign(pair, { version, grid, lastTicks, auction });
  absorbWaves(state, pair, waves);
}

function absorbBalance(state: EngineState, { user, currency, available, frozen }: BalanceRow): void {
  const account = accountOf(state.accounts, userNamed(state.users, user), currencyNamed(state, currency));
  state.accounts.available[account] = available;
  state.accounts.frozen[account] = frozen;
}

/** Whether the order is still to enter the book or the triggers. */
function absorbOrder(state: EngineState, row: OrderRow): boolean {
  const slot = findSlot(state.index, row.id);
  const isOpen = isLive(row.status);
  if (slot === NONE) {
    if (isOpen) insertOrder(state, row);
    return isOpen;
  }
  if (!isOpen) {
    withdrawOrder(state, slot);
    releaseSlot(state, slot);
    return false;
  }
  const moves = !isSamePlace(state, slot, row);
  if (moves) leavePlace(state, slot);
  writeProgress(state, { slot, row });
  writeCondition(state, slot, row);
  return moves;
}

function insertOrder(state: EngineState, row: OrderRow): void {
  const { orders, accounts } = state;
  const user = userNamed(state.users, row.user);
  const pair = pairNamed(state, row.pair);
  const base = accountOf(accounts, user, pair.base);
  const quote = accountOf(accounts, user, pair.quote);
  const side = row.side === "buy" ? BUY : SELL;
  assert(state.openOrders < state.bounds.openOrdersMax, "the open orders fit the engine's bound");
  const slot = takeSlot(orders);
  orders.id[wordOf(slot)] = row.id;
  orders.user[slot] = user.index;
  orders.pair[slot] = pair.index;
  orders.side[slot] = side;
  orders.postOnly[slot] = row.postOnly ? 1 : 0;
  orders.ticks[slot] = row.ticks;
  orders.createdAt[wordOf(slot)] = row.createdAt;
  nameSlot(orders, { slot, name: row.clientOrderId });
  orders.pays[slot] = side === BUY ? quote : base;
  orders.receives[slot] = side === BUY ? base : quote;
  writeProgress(state, { slot, row });
  writeCondition(state, slot, row);
  listById(state, slot);
  if (isResting(row.status)) noteOnOpen(pair, row.id, row);
  if (row.clientOrderId === "") return;
  // The content behind the name may be forgotten already; the name itself still belongs to the order.
  const known = findReference(user, "order", row.clientOrderId);
  if (known !== undefined && known.orderId >= row.id) return;
  nameIt({
    kind: "order",
    user,
    name: row.clientOrderId,
    digest: NOT_KNOWN_YET,
    orderId: row.id,
    at: row.createdAt,
    isHeld: false,
  });
}

/** Rows come by priority, and a user's orders are in the order of their ids: nearly always the same. */
function listById(state: EngineState, slot: number): void {
  const { orders } = state;
  listOrder(state, slot);
  const user = state.users.all[orders.user[slot] as number];
  const pairIndex = orders.pair[slot] as number;
  const id = orders.id[wordOf(slot)] as number;
  for (
    let older = orders.userOlder[slot] as number;
    older !== NONE && (orders.id[wordOf(older)] as number) > id && user !== undefined;
    older = orders.userOlder[slot] as number
  ) {
    const [before, after] = [orders.userOlder[older] as number, orders.userYounger[slot] as number];
    orders.userOlder[slot] = before;
    orders.userYounger[slot] = older;
    orders.userOlder[older] = slot;
    orders.userYounger[older] = after;
    if (before === NONE) setAt(user.oldestOpen, pairIndex, slot);
    else orders.userYounger[before] = slot;
    if (after === NONE) setAt(user.youngestOpen, pairIndex, older);
    else orders.userOlder[after] = older;
  }
}

function writeProgress(
  { orders }: EngineState,
  { slot, row }: { readonly slot: number; readonly row: OrderRow },
): void {
  orders.lots[wordOf(slot)] = row.lots;
  orders.filledLots[wordOf(slot)] = row.filledLots;
  orders.filledValue[wordOf(slot)] = row.filledValue;
  orders.feePaid[wordOf(slot)] = row.feePaid;
  orders.updatedAt[wordOf(slot)] = row.updatedAt;
}

function absorbReference(state: EngineState, row: ReferenceRow): void {
  const { kind, reference: name, digest, orderId, at } = row;
  if (!isCounted(state.references, at)) return;
  const user = userNamed(state.users, row.user);
  takeCount(user, { hour: Math.floor(at / HOUR_MS), number: row.number });
  const known = findReference(user, kind, name);
  const isOld = known !== undefined && (known.at > at || (known.at === at && known.digest !== NOT_KNOWN_YET));
  if (!isOld) remember(state.references, { kind, user, name, digest, orderId, at, isHeld: true }, state.index);
}

function currencyNamed({ currencies }: EngineState, name: string): Currency {
  const currency = currencies.byName.get(name);
  assert(currency !== undefined, `currency ${name} comes before what is counted in it`);
  return currency;
}

function pairNamed({ pairs }: EngineState, name: string): Pair {
  const pair = pairs.byName.get(name);
  assert(pair !== undefined, `pair ${name} comes before its orders`);
  return pair;
}
