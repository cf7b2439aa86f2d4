import type {
  BalanceRow,
  Changes,
  CurrencyRow,
  ListRow,
  OrderRow,
  PairRow,
  ReferenceRow,
  UserRow,
} from "../../origin/engine/changes.ts";
import type { CommandName, NameCount } from "../../origin/engine/names/references.ts";
import type { Random } from "../random.ts";

/** Keeps the rows as a store does: the newest of each, open orders only, references by their hour. */
export type Projection = {
  readonly take: (changes: Changes) => void;
  readonly tradeCount: () => number;
  /** All rows as a loader would read them: in pieces, and in no order but that of the orders' priorities, lists after them. */
  readonly chunks: (random: Random) => readonly Changes[];
  /** The same without the names, which are fetched on demand; and how many each user has given. */
  readonly nameless: (random: Random) => readonly Changes[];
  readonly counts: () => readonly NameCount[];
  readonly find: (name: CommandName) => ReferenceRow | undefined;
  readonly at: () => number;
};

export function createProjection(): Projection {
  const orders = new Map<number, OrderRow>();
  const lists = new Map<number, ListRow>();
  const balances = new Map<string, BalanceRow>();
  const currencies = new Map<string, CurrencyRow>();
  const pairs = new Map<string, PairRow>();
  const users = new Map<string, UserRow>();
  const references = new Map<string, ReferenceRow>();
  const named = new Map<string, ReferenceRow>();
  const counts = new Map<string, NameCount>();
  let counters = { at: 0, nextOrderId: 1, nextTradeId: 1 };
  let trades = 0;
  return {
    take(changes) {
      counters = { at: changes.at, nextOrderId: changes.nextOrderId, nextTradeId: changes.nextTradeId };
      trades += changes.trades.length;
      for (const row of changes.orders) {
        if (row.status === "open" || row.status === "partiallyFilled" || row.status === "pending")
          orders.set(row.id, row);
        else orders.delete(row.id);
      }
      takeLists(lists, changes);
      for (const row of changes.balances) balances.set(`${row.user} ${row.currency}`, row);
      for (const row of changes.currencies) currencies.set(row.currency, row);
      for (const row of changes.pairs) pairs.set(row.pair, row);
      for (const row of changes.users) users.set(row.user, row);
      for (const row of changes.references) references.set(`${row.kind} ${row.user} ${row.reference} ${row.at}`, row);
      for (const row of changes.references) {
        named.set(`${row.kind} ${row.user} ${row.reference}`, row);
        const hour = Math.floor(row.at / HOUR_MS);
        counts.set(`${row.user} ${hour}`, { user: row.user, hour, number: row.number });
      }
    },
    tradeCount: () => trades,
    counts: () => [...counts.values()],
    find: ({ kind, user, name }) => named.get(`${kind} ${user} ${name}`),
    at: () => counters.at,
    nameless: (random) => chunks(random).filter((chunk) => chunk.references.length === 0),
    chunks,
  };

  function chunks(random: Random): readonly Changes[] {
    const nothing = {
      ...counters,
      orders: [],
      trades: [],
      balances: [],
      movements: [],
      currencies: [],
      pairs: [],
      users: [],
      references: [],
    };
    const byAge = [...references.values()].sort((a, b) => a.at - b.at);
    return [
      { ...nothing, currencies: shuffled(random, currencies.values()) },
      { ...nothing, pairs: shuffled(random, pairs.values()) },
      { ...nothing, users: shuffled(random, users.values()) },
      ...inPieces(shuffled(random, balances.values())).map((rows) => ({ ...nothing, balances: rows })),
      ...inPieces([...orders.values()].sort((a, b) => priority(a) - priority(b))).map((rows) => ({
        ...nothing,
        orders: rows,
      })),
      ...inPieces(shuffled(random, lists.values())).map((rows) => ({ ...nothing, lists: rows })),
      ...inPieces(byAge).map((rows) => ({ ...nothing, references: rows })),
    ];
  }
}

function takeLists(lists: Map<number, ListRow>, changes: Changes): void {
  for (const row of changes.lists ?? []) {
    if (row.status === "active") lists.set(row.id, row);
    else lists.delete(row.id);
  }
}

const priority = ({ id, conditions }: OrderRow) => conditions?.priority || id;

const PIECE = 7;
const HOUR_MS = 3_600_000;

function inPieces<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / PIECE) }, (_, index) =>
    rows.slice(index * PIECE, (index + 1) * PIECE),
  );
}

function shuffled<Row>(random: Random, rows: Iterable<Row>): Row[] {
  return [...rows]
    .map((row) => ({ row, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ row }) => row);
}
