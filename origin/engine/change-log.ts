import { takeTouchedBalances } from "./accounts.ts";
import type { Changes, MovementRow, OrderRow, ReferenceRow, TradeRow } from "./changes.ts";
import type { Nonce } from "./command.ts";
import { type Currency, currencyRow } from "./currencies.ts";
import { openRow } from "./order-row.ts";
import { NONE } from "./order-slab.ts";
import { type Pair, pairRow } from "./pairs.ts";
import type { EngineState } from "./state.ts";
import type { User } from "./users.ts";

/** What was touched since the changes were last taken, each thing once. */
export type ChangeLog = {
  /** The touched orders' slots (`NONE` for those that are closed), and their rows as far as they were made already. */
  orderSlots: number[];
  orderRows: (OrderRow | null)[];
  trades: TradeRow[];
  movements: MovementRow[];
  currencies: Currency[];
  pairs: Pair[];
  users: User[];
  references: ReferenceRow[];
  nonces: Nonce[];
};

export function createChangeLog(): ChangeLog {
  return { orderSlots: [], orderRows: [], trades: [], movements: [], currencies: [], pairs: [], users: [], references: [], nonces: [] };
}

/** The row is made when it is asked for; the one that was made before no longer says the truth. */
export function touchOrder({ log, orders }: EngineState, slot: number): void {
  const position = orders.touchedAt[slot] as number;
  if (position !== NONE) {
    log.orderRows[position] = null;
    return;
  }
  orders.touchedAt[slot] = log.orderSlots.length;
  log.orderSlots.push(slot);
  log.orderRows.push(null);
}

/** An outcome has just shown the order: the same row will do for the changes. */
export function keepRow({ log, orders }: EngineState, { slot, row }: { readonly slot: number; readonly row: OrderRow }): void {
  log.orderRows[orders.touchedAt[slot] as number] = row;
}

/** The slot is about to be another order's. */
export function keepLastRow({ log, orders }: EngineState, { slot, row }: { readonly slot: number; readonly row: OrderRow }): void {
  const position = orders.touchedAt[slot] as number;
  if (position === NONE) {
    log.orderSlots.push(NONE);
    log.orderRows.push(row);
    return;
  }
  log.orderSlots[position] = NONE;
  log.orderRows[position] = row;
  orders.touchedAt[slot] = NONE;
}

export function touch<Thing extends { isTouched: boolean }>(touched: Thing[], thing: Thing): void {
  if (thing.isTouched) return;
  thing.isTouched = true;
  touched.push(thing);
}

export function takeChanges(state: EngineState): Changes {
  const { log, at, nextOrderId, nextTradeId } = state;
  const changes: Changes = {
    at,
    nextOrderId,
    nextTradeId,
    orders: takeOrderRows(state),
    trades: log.trades,
    balances: takeTouchedBalances(state.accounts),
    movements: log.movements,
    currencies: log.currencies.map(currencyRow),
    pairs: log.pairs.map(pairRow),
    users: log.users.map(({ name, isFrozen }) => ({ user: name, isFrozen })),
    references: log.references,
    nonces: log.nonces,
  };
  for (const thing of [...log.currencies, ...log.pairs, ...log.users]) thing.isTouched = false;
  state.log = createChangeLog();
  return changes;
}

function takeOrderRows(state: EngineState): readonly OrderRow[] {
  const { orderSlots, orderRows } = state.log;
  const rows: OrderRow[] = [];
  for (let position = 0; position < orderSlots.length; position++) {
    const slot = orderSlots[position] as number;
    const row = orderRows[position] ?? openRow(state, slot);
    if (slot !== NONE) state.orders.touchedAt[slot] = NONE;
    rows.push(row);
  }
  return rows;
}
