import type { Database } from "../../db/database.ts";
import type { ListRow, OrderRow, TradeRow } from "../../engine/changes.ts";
import { amountText, stepsOf } from "../../instruments/amounts.ts";
import { createGrids, type Grids } from "../../instruments/grids.ts";
import { isOpenStatus, type OrderHash, orderHash } from "../../state/order-writes.ts";
import { tradeTexts } from "../../state/state-writes.ts";
import { findArchives } from "../archive/archive-queries.ts";
import type { OrderArchive, RowArchive } from "../archive/order-archive.ts";
import { listCurrencies, listGrids, readOffset } from "../ledger/ledger-queries.ts";
import { tradeRow } from "../ledger/ledger-trades.ts";
import {
  findLists,
  findOrders,
  listOrderTrades,
  listUserLists,
  listUserMovements,
  listUserOrders,
  listUserTrades,
  readLastTrade,
} from "./history-queries.ts";

/**
 * Reads what Redis no longer holds, in the form it had there: orders, order lists, trades and movements from PostgreSQL,
 * single orders and lists also from the archive. Every call fails with `DatabaseUnavailable` while PostgreSQL is unavailable. Readers
 * ask Redis first, which holds everything open or recent.
 */
export type History = {
  /** Undefined if the order never existed. Ended orders do not change, so they are cached for a while. */
  readonly findOrder: (orderId: number) => Promise<OrderHash | undefined>;
  /** The orders that PostgreSQL has, in any order. */
  readonly findOrders: (orderIds: readonly number[]) => Promise<readonly OrderHash[]>;
  /** Newest first. Archived orders are not listed. */
  readonly ordersBefore: (user: string, page: Page) => Promise<readonly OrderHash[]>;
  /** Undefined if the order list never existed. */
  readonly findList: (listId: number) => Promise<ListRow | undefined>;
  /** Newest first. Archived lists are not listed. */
  readonly listsBefore: (user: string, page: Page) => Promise<readonly ListRow[]>;
  /** Newest first. */
  readonly tradesBefore: (user: string, page: Page) => Promise<readonly string[]>;
  /** Oldest first; incomplete if the owner traded very often during the lifetime of the order. */
  readonly tradesOfOrder: (user: string, order: TradedOrder) => Promise<readonly string[]>;
  /** The ledger has every trade up to this id. */
  readonly lastTradeId: () => Promise<number>;
  /** Newest first; several may have the same time. */
  readonly movementsUntil: (
    user: string,
    page: { readonly toMs: number; readonly limit: number },
  ) => Promise<readonly OldMovement[]>;
  /** The ledger has every movement up to this journal entry. */
  readonly ledgerSequence: () => Promise<number>;
};

export type Page = { readonly beforeId: number; readonly limit: number };

type TradedOrder = {
  readonly id: string;
  readonly side: "buy" | "sell";
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type OldMovement = {
  readonly id: string;
  readonly kind: "deposit" | "withdrawal" | "transfer";
  readonly direction: "in" | "out";
  readonly currency: string;
  readonly amount: string;
  readonly reference: string;
  readonly at: number;
};

/** Trades of one user within the lifetime of one order: tens of milliseconds for PostgreSQL. */
const TRADES_LOOKED_AT_MAX = 10_000;
const ID_MAX = Number.MAX_SAFE_INTEGER;

/** Without an archive, archived orders are not found. */
export function openHistory({
  database,
  archive,
}: {
  readonly database: Database;
  readonly archive?: OrderArchive | undefined;
}): History {
  const terms = createRecordedTerms(database);
  const remembered = createRememberedOrders();

  async function hashesOf(orders: readonly OrderRow[]): Promise<readonly OrderHash[]> {
    await terms.meet(orders);
    return orders.map((order) => orderHash(order, terms.grids.of(order.pair, order.grid)));
  }

  async function read(orderId: number): Promise<OrderRow | undefined> {
    const [kept] = await findOrders.all(database, { ids: [String(orderId)] });
    return kept ?? findArchived("orders", archive, orderId);
  }

  async function findArchived<Row>(
    contents: "orders" | "lists",
    from: RowArchive<Row> | undefined,
    id: number,
  ): Promise<Row | undefined> {
    if (from === undefined) return undefined;
    for (const file of await findArchives.all(database, { contents, id: String(id) })) {
      const row = await from.find(file, id);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  async function textsOf(user: string, rows: readonly Parameters<typeof tradeRow>[0][]): Promise<readonly string[]> {
    await terms.meet(rows);
    return rows.map((row) => textFor(user, tradeRow(row, terms.grids)));
  }

  function textFor(user: string, trade: TradeRow): string {
    const texts = tradeTexts(trade, terms.grids.of(trade.pair, trade.grid));
    return trade.buyUser === user ? texts.buy : texts.sell;
  }

  return {
    async findOrder(orderId) {
      const known = remembered.get(orderId);
      const order = known === undefined ? await read(orderId) : (known ?? undefined);
      if (order === undefined || !isOpenStatus(order.status)) remembered.put(orderId, order ?? null);
      return order && (await hashesOf([order]))[0];
    },
    findOrders: async (ids) =>
      ids.length === 0 ? [] : hashesOf(await findOrders.all(database, { ids: ids.map(String) })),
    ordersBefore: async (user, { beforeId, limit }) =>
      hashesOf(await listUserOrders.all(database, { user, before: String(Math.min(beforeId, ID_MAX)), limit })),
    async findList(listId) {
      const [kept] = await findLists.all(database, { ids: [String(listId)] });
      return kept ?? findArchived("lists", archive?.lists, listId);
    },
    listsBefore: (user, { beforeId, limit }) =>
      listUserLists.all(database, { user, before: String(Math.min(beforeId, ID_MAX)), limit }),
    tradesBefore: async (user, { beforeId, limit }) =>
      textsOf(user, await listUserTrades.all(database, { user, before: String(Math.min(beforeId, ID_MAX)), limit })),
    async tradesOfOrder(user, { id: orderId, side, createdAt, updatedAt }) {
      const span = { fromMs: String(createdAt), toMs: String(updatedAt), lookedAtMax: TRADES_LOOKED_AT_MAX };
      return textsOf(user, await listOrderTrades.all(database, { user, orderId, side, ...span }));
    },
    lastTradeId: async () => (await readLastTrade.first(database, {}))?.id ?? 0,
    async movementsUntil(user, { toMs, limit }) {
      const rows = await listUserMovements.all(database, { user, toMs: String(Math.min(toMs, ID_MAX)), limit });
      await terms.meetCurrencies(rows.map(({ currency }) => currency));
      return rows.map(({ amount, ...row }) => {
        const scale = terms.grids.scaleOf(row.currency);
        const steps = stepsOf(amount, scale);
        return { ...row, direction: steps < 0n ? "out" : "in", amount: amountText(steps < 0n ? -steps : steps, scale) };
      });
    },
    ledgerSequence: async () => (await readOffset.first(database, { consumer: "ledger" }))?.sequence ?? 0,
  };
}

/**
 * Every currency and grid that was ever traded in. They never change, so they are read only when an unknown one
 * appears.
 */
type RecordedTerms = {
  readonly grids: Grids;
  readonly meet: (rows: readonly { readonly pair: string; readonly grid: number }[]) => Promise<void>;
  readonly meetCurrencies: (currencies: readonly string[]) => Promise<void>;
};

function createRecordedTerms(database: Database): RecordedTerms {
  const grids = createGrids();

  async function read(): Promise<void> {
    grids.learn({ currencies: await listCurrencies.all(database, {}), pairs: await listGrids.all(database, {}) });
  }

  return {
    grids,
    async meet(rows) {
      if (rows.some(({ pair, grid }) => grids.find(pair, grid) === undefined)) await read();
    },
    async meetCurrencies(currencies) {
      if (currencies.some((currency) => grids.findScale(currency) === undefined)) await read();
    },
  };
}

/**
 * Cache of recently requested orders, and of ids without an order. An ended order does not change, so the cache is
 * exact, and repeated requests for one id cost PostgreSQL and the archive one query.
 */
type RememberedOrders = {
  /** null: there is no such order. undefined: not in the cache. */
  readonly get: (orderId: number) => OrderRow | null | undefined;
  readonly put: (orderId: number, order: OrderRow | null) => void;
};

/** About 2 MB. */
const ORDERS_MAX = 5_000;

function createRememberedOrders(): RememberedOrders {
  const orders = new Map<number, OrderRow | null>();
  return {
    get: (orderId) => orders.get(orderId),
    put(orderId, order) {
      orders.delete(orderId);
      orders.set(orderId, order);
      const [oldest] = orders.keys();
      if (orders.size > ORDERS_MAX && oldest !== undefined) orders.delete(oldest);
    },
  };
}
