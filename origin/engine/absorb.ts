import { assert } from "../../shared/assert.ts";
import { accountOf, userNamed } from "./accounts.ts";
import { noteOnOpen } from "./auction/place-in-auction.ts";
import { openOrder, releaseSlot, withdrawOrder } from "./book/open-orders.ts";
import { BUY, findSlot, NONE, nameSlot, SELL, takeSlot, wordOf } from "./book/order-slab.ts";
import type { BalanceRow, Changes, CurrencyRow, OrderRow, PairRow, ReferenceRow } from "./changes.ts";
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

/** Brings the state to the rows. Rows that were absorbed before change nothing, so that an entry may be read twice. */
export function absorbChanges(state: EngineState, changes: Changes): void {
  state.at = Math.max(state.at, changes.at);
  state.nextOrderId = Math.max(state.nextOrderId, changes.nextOrderId);
  state.nextTradeId = Math.max(state.nextTradeId, changes.nextTradeId);
  forgetHours(state.references, state.at);
  forgetNonces(state.nonces, state.at);
  for (const row of changes.currencies) absorbCurrency(state, row);
  for (const row of changes.pairs) absorbPair(state, row);
  for (const { user, isFrozen } of changes.users) userNamed(state.users, user).isFrozen = isFrozen;
  for (const row of changes.balances) absorbBalance(state, row);
  for (const row of changes.orders) absorbOrder(state, row);
  for (const row of changes.references) absorbReference(state, row);
  for (const nonce of changes.nonces ?? []) rememberNonce(state, nonce);
}

function absorbCurrency({ currencies }: EngineState, { currency, scale, supply }: CurrencyRow): void {
  const known = currencies.byName.get(currency) ?? addCurrency(currencies, currency, scale);
  known.supply = supply;
}

function absorbPair(state: EngineState, { version, grid, lastTicks, auction, ...terms }: PairRow): void {
  const base = currencyNamed(state, terms.baseCurrency);
  const quote = currencyNamed(state, terms.quoteCurrency);
  const pair = state.pairs.byName.get(terms.pair) ?? addPair(state.pairs, { terms, base, quote });
  setTerms(pair, terms);
  Object.assign(pair, { version, grid, lastTicks, auction });
}

function absorbBalance(state: EngineState, { user, currency, available, frozen }: BalanceRow): void {
  const account = accountOf(state.accounts, userNamed(state.users, user), currencyNamed(state, currency));
  state.accounts.available[account] = available;
  state.accounts.frozen[account] = frozen;
}

function absorbOrder(state: EngineState, row: OrderRow): void {
  const slot = findSlot(state.index, row.id);
  const isOpen = row.status === "open" || row.status === "partiallyFilled";
  if (slot === NONE && isOpen) insertOrder(state, row);
  if (slot === NONE) return;
  if (isOpen) {
    writeProgress(state, { slot, row });
    return;
  }
  withdrawOrder(state, slot);
  releaseSlot(state, slot);
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
  orders.lots[wordOf(slot)] = row.lots;
  orders.createdAt[wordOf(slot)] = row.createdAt;
  nameSlot(orders, { slot, name: row.clientOrderId });
  orders.pays[slot] = side === BUY ? quote : base;
  orders.receives[slot] = side === BUY ? base : quote;
  writeProgress(state, { slot, row });
  openOrder(state, slot);
  noteOnOpen(pair, row.id, row);
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

function writeProgress(
  { orders }: EngineState,
  { slot, row }: { readonly slot: number; readonly row: OrderRow },
): void {
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
