import type {
  BalanceRow,
  Changes,
  CurrencyRow,
  ListRow,
  MovementRow,
  OrderRow,
  PairRow,
  ReferenceRow,
  TradeRow,
  UserRow,
} from "../engine/changes.ts";
import { HOUR_MS, type NameCount } from "../engine/names/references.ts";

/**
 * Several journal entries merged into one: the last row of everything, and all trades and movements. Rows are absolute,
 * so intermediate ones are dropped, and absorbing one twice changes nothing.
 */
export type LatestRows = {
  readonly absorb: (changes: Changes) => void;
  readonly clock: { at: number; nextOrderId: number; nextTradeId: number };
  readonly orders: Map<number, OrderRow>;
  readonly trades: TradeRow[];
  readonly movements: MovementRow[];
  /** By user, then by currency. */
  readonly balances: Map<string, Map<string, BalanceRow>>;
  readonly currencies: Map<string, CurrencyRow>;
  /** Of each pair, every row in the order of change: an order's price counts in the grid it was placed in. */
  readonly pairs: PairRow[];
  readonly users: Map<string, UserRow>;
  /** By `referenceName`. */
  readonly references: Map<string, ReferenceRow>;
  readonly lists: Map<number, ListRow>;
  /** By hour, then by user: how many commands were named. */
  readonly named: Map<number, Map<string, number>>;
};

export function createLatestRows(): LatestRows {
  const rows = {
    clock: { at: 0, nextOrderId: 0, nextTradeId: 0 },
    orders: new Map<number, OrderRow>(),
    trades: [] as TradeRow[],
    movements: [] as MovementRow[],
    balances: new Map<string, Map<string, BalanceRow>>(),
    currencies: new Map<string, CurrencyRow>(),
    pairs: [] as PairRow[],
    users: new Map<string, UserRow>(),
    references: new Map<string, ReferenceRow>(),
    lists: new Map<number, ListRow>(),
    named: new Map<number, Map<string, number>>(),
  };
  return {
    ...rows,
    absorb(changes) {
      rows.clock.at = changes.at;
      rows.clock.nextOrderId = changes.nextOrderId;
      rows.clock.nextTradeId = changes.nextTradeId;
      for (const order of changes.orders) rows.orders.set(order.id, order);
      for (const trade of changes.trades) rows.trades.push(trade);
      rows.movements.push(...changes.movements);
      for (const balance of changes.balances) putBalance(rows.balances, balance);
      for (const currency of changes.currencies) rows.currencies.set(currency.currency, currency);
      for (const pair of changes.pairs) rows.pairs.push(pair);
      for (const user of changes.users) rows.users.set(user.user, user);
      putLists(rows.lists, changes);
      for (const reference of changes.references) putReference(rows, reference);
    },
  };
}

function putLists(lists: LatestRows["lists"], changes: Changes): void {
  for (const list of changes.lists ?? []) lists.set(list.id, list);
}

function putReference({ references, named }: Pick<LatestRows, "references" | "named">, row: ReferenceRow): void {
  references.set(referenceName(row), row);
  putNumber(named, row);
}

/** Unique for each reference. Only the last part can contain a space. */
export const referenceName = ({ kind, user, reference }: ReferenceRow): string => `${kind} ${user} ${reference}`;

/** Numbers are absolute and only grow; those of the first format are not known. */
function putNumber(named: LatestRows["named"], { user, at, number }: ReferenceRow): void {
  if (number > 0) countNamed(named, { user, hour: Math.floor(at / HOUR_MS), number });
}

export function countNamed(named: LatestRows["named"], { user, hour, number }: NameCount): void {
  let ofHour = named.get(hour);
  if (ofHour === undefined) {
    ofHour = new Map();
    named.set(hour, ofHour);
  }
  ofHour.set(user, Math.max(ofHour.get(user) ?? 0, number));
}

function putBalance(balances: LatestRows["balances"], row: BalanceRow): void {
  const ofUser = balances.get(row.user);
  if (ofUser === undefined) balances.set(row.user, new Map([[row.currency, row]]));
  else ofUser.set(row.currency, row);
}
