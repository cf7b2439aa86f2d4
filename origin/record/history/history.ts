import { findArchives } from "../archive/archive-queries.ts";
import type { OrderArchive } from "../archive/order-archive.ts";
import type { Database } from "../db/database.ts";
import type { OrderRow, TradeRow } from "../engine/changes.ts";
import { stepsOf } from "../ledger/decimal.ts";
import { readOffset } from "../ledger/ledger-queries.ts";
import { tradeRow } from "../ledger/ledger-trades.ts";
import { decimal } from "../projections/decimal.ts";
import { type OrderHash, orderHash } from "../projections/order-fields.ts";
import { isOpenStatus } from "../projections/order-writes.ts";
import { tradeTexts } from "../projections/trade-writes.ts";
import { findOrders, listOrderTrades, listUserMovements, listUserOrders, listUserTrades, readLastTrade } from "./history-queries.ts";
import { createRecordedTerms } from "./recorded-terms.ts";
import { createRememberedOrders } from "./remembered-orders.ts";

/**
 * What Redis no longer holds, exactly as it stood there: orders, trades and movements from PostgreSQL, single orders also from the archive
 * behind it. Every call fails with `DatabaseUnavailable` while PostgreSQL is unavailable. Readers ask Redis first: what is open or recent is there.
 */
export type History = {
  /** Undefined when there never was such an order. What has ended does not change, so it is remembered for a while. */
  readonly findOrder: (orderId: number) => Promise<OrderHash | undefined>;
  /** Those of them that PostgreSQL has, in any order. */
  readonly findOrders: (orderIds: readonly number[]) => Promise<readonly OrderHash[]>;
  /** The newest first. Orders in the archive are not listed. */
  readonly ordersBefore: (user: string, page: Page) => Promise<readonly OrderHash[]>;
  /** The newest first. */
  readonly tradesBefore: (user: string, page: Page) => Promise<readonly string[]>;
  /** The oldest first; some are missing when their owner has traded very much during the order's life. */
  readonly tradesOfOrder: (user: string, order: TradedOrder) => Promise<readonly string[]>;
  /** Up to here the ledger has every trade. */
  readonly lastTradeId: () => Promise<number>;
  /** The newest first; several may have the same time. */
  readonly movementsUntil: (user: string, page: { readonly toMs: number; readonly limit: number }) => Promise<readonly OldMovement[]>;
  /** Up to this journal entry the ledger has every movement. */
  readonly ledgerSequence: () => Promise<number>;
};

export type Page = { readonly beforeId: number; readonly limit: number };

type TradedOrder = { readonly id: string; readonly side: "buy" | "sell"; readonly createdAt: number; readonly updatedAt: number };

export type OldMovement = {
  readonly id: string;
  readonly kind: "deposit" | "withdrawal" | "transfer";
  readonly direction: "in" | "out";
  readonly currency: string;
  readonly amount: string;
  readonly reference: string;
  readonly at: number;
};

/** Of one user during one order's life: some tens of milliseconds for PostgreSQL. */
const TRADES_LOOKED_AT_MAX = 10_000;
const ID_MAX = Number.MAX_SAFE_INTEGER;

/** Without an archive, orders that went there are not found. */
export function openHistory({ database, archive }: { readonly database: Database; readonly archive?: OrderArchive | undefined }): History {
  const terms = createRecordedTerms(database);
  const remembered = createRememberedOrders();

  async function hashesOf(orders: readonly OrderRow[]): Promise<readonly OrderHash[]> {
    await terms.meet(orders);
    return orders.map((order) => orderHash(order, terms.grids.of(order.pair, order.grid)));
  }

  async function read(orderId: number): Promise<OrderRow | undefined> {
    const [kept] = await findOrders.all(database, { ids: [String(orderId)] });
    if (kept !== undefined || archive === undefined) return kept;
    for (const file of await findArchives.all(database, { id: String(orderId) })) {
      const order = await archive.find(file, orderId);
      if (order !== undefined) return order;
    }
    return undefined;
  }

  async function textsOf(user: string, rows: readonly Parameters<typeof tradeRow>[0][]): Promise<readonly string[]> {
    await terms.meet(rows);
    return rows.map((row) => textFor(user, tradeRow(row, terms.ledger)));
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
    findOrders: async (ids) => (ids.length === 0 ? [] : hashesOf(await findOrders.all(database, { ids: ids.map(String) }))),
    ordersBefore: async (user, { beforeId, limit }) =>
      hashesOf(await listUserOrders.all(database, { user, before: String(Math.min(beforeId, ID_MAX)), limit })),
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
        const steps = stepsOf(amount, terms.grids.scaleOf(row.currency));
        return {
          ...row,
          direction: steps < 0n ? "out" : "in",
          amount: decimal(steps < 0n ? -steps : steps, terms.grids.scaleOf(row.currency)),
        };
      });
    },
    ledgerSequence: async () => (await readOffset.first(database, { consumer: "ledger" }))?.sequence ?? 0,
  };
}
