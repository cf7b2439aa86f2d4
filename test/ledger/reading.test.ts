import { beforeAll, describe, expect, it } from "vitest";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import type { Database } from "../../origin/db/database.ts";
import { DatabaseUnavailable } from "../../origin/db/database.ts";
import type { Changes, OrderRow } from "../../origin/engine/changes.ts";
import { changesFrom } from "../../origin/journal/journal-body.ts";
import { TABLES_KEY } from "../../origin/journal/keys.ts";
import { openHistory } from "../../origin/record/history/history.ts";
import { keepTables } from "../../origin/record/sync/keep-tables.ts";
import { startForgetting } from "../../origin/state/forget-orders.ts";
import {
  BELOW_KEY,
  movementsKey,
  orderKey,
  PROJECTED_KEY,
  userOrdersKey,
  userTradesKey,
} from "../../origin/state/keys.ts";
import { openKnownPairs } from "../../origin/state/known-pairs.ts";
import { startStateProjection } from "../../origin/state/state-projection.ts";
import { type OrderStore, openOrderStore } from "../../origin/trading/order-store.ts";
import { openTradeStore, type TradeStore } from "../../origin/trading/trade-store.ts";
import type { OrderPage } from "../../origin/trading/trading-port.ts";
import { createWalletHistory, type WalletHistory } from "../../origin/trading/wallet-history.ts";
import { until } from "../core/core.ts";
import { type LedgerStores, openLedgerStores, silentLog, startLedger } from "./ledger-stores.ts";
import { createTradingWorld, putEntries } from "./trading-world.ts";

const BATCHES = 240;

/** Thousands of pages; both kinds of database run the same statements. */
const DATABASES = IS_FULL_RUN ? (["embedded", "server"] as const) : (["embedded"] as const);

describe.each(DATABASES)("reads with the older part in the %s database", (kind) => {
  const world = createTradingWorld({ seed: 5, userCount: 3, commandsPerBatch: 40 });
  const entries = Array.from({ length: BATCHES }, () => world.next().entry);
  const changes: readonly Changes[] = entries.map(({ body }) => changesFrom(body));
  const orders = new Map(changes.flatMap((of) => of.orders).map((order) => [order.id, order]));
  const ofUser = (user: string) =>
    [...orders.values()].filter((order) => order.user === user).toSorted((a, b) => b.id - a.id);
  let stores: LedgerStores;
  let statements = 0;
  let isUnavailable = false;
  let orderStore: OrderStore;
  let tradeStore: TradeStore;
  let walletHistory: WalletHistory;

  /** Half of it is in PostgreSQL, and its ended orders have left Redis; the rest is only in Redis. */
  beforeAll(async () => {
    stores = await openLedgerStores(kind);
    const { redis, database } = stores;
    const ledger = startLedger(stores);
    const parts = {
      reader: stores.connect(),
      writer: stores.connectRaw(),
      feed: undefined,
      onProjected: () => {},
      log: silentLog,
    };
    const projection = startStateProjection({ owner: "worker", redis, ...parts });
    const onPosition = (sequence: number) => void redis.set(TABLES_KEY, sequence);
    const tables = keepTables({ database, log: silentLog, intervalMs: 3_600_000, rowsMax: 2_000, onPosition });
    await putEntries(redis, entries.slice(0, BATCHES / 2));
    await until(() => ledger.state().sequence === BATCHES / 2);
    await tables.flush();
    await until(async () => (await redis.hget(PROJECTED_KEY, "sequence")) === String(BATCHES / 2));
    await putEntries(redis, entries.slice(BATCHES / 2));
    await until(async () => (await redis.hget(PROJECTED_KEY, "sequence")) === String(BATCHES));
    await until(() => ledger.state().sequence === BATCHES);
    const forgetting = startForgetting({
      redis,
      writer: stores.connectRaw(),
      nowMs: Date.now,
      log: silentLog,
      keptMs: 0,
    });
    // Not all of them: orders that ended in the second half stay until the tables include them.
    const endedLater = changes.slice(BATCHES / 2).flatMap((of) => of.orders.filter(isEnded)).length;
    await until(() => forgetting.held() === endedLater);
    await forgetting.stop();
    await projection.stop();

    const counted: Database = {
      ...database,
      query: (...args) => {
        statements++;
        return isUnavailable ? Promise.reject(new DatabaseUnavailable("stopped by the test")) : database.query(...args);
      },
    };
    const history = openHistory({ database: counted });
    const pairs = openKnownPairs({ redis, log: silentLog });
    await until(() => pairs.areRead() === true);
    tradeStore = openTradeStore({ redis, pairs, history });
    orderStore = openOrderStore({ redis, pairs, trades: tradeStore, history });
    walletHistory = createWalletHistory({ redis, history });
  }, 120_000);

  const isEnded = ({ status }: OrderRow) => status === "filled" || status === "cancelled";

  async function allPages<Item>(
    read: (cursor: string | undefined) => Promise<{ items: readonly Item[]; nextCursor: string | null }>,
  ) {
    const items: Item[] = [];
    let cursor: string | undefined;
    do {
      const page = await read(cursor);
      items.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return items;
  }

  const listed = (user: string, page: Partial<OrderPage>) =>
    allPages(async (cursor) => {
      const beforeId = cursor === undefined ? undefined : Number(cursor);
      const { orders: items, nextCursor } = await orderStore.list(user, {
        status: undefined,
        pair: undefined,
        limit: 97,
        ...page,
        beforeId,
      });
      return { items, nextCursor };
    });

  it("list every order once, in its last state, newest first, with any filter", async () => {
    for (const user of world.users) {
      const expected = ofUser(user);
      expect(expected.length).toBeGreaterThan(500);
      expect(await stores.redis.exists(expected.map(({ id }) => orderKey(id)))).toBeLessThan(expected.length);
      const shown = await listed(user, {});
      expect(shown.map(({ id, status }) => `${id} ${status}`)).toEqual(
        expected.map(({ id, status }) => `${id} ${status}`),
      );
      for (const status of ["filled", "cancelled", "open"] as const) {
        const fits = (order: OrderRow) => (status === "open" ? !isEnded(order) : order.status === status);
        expect((await listed(user, { status })).map(({ id }) => Number(id))).toEqual(
          expected.filter(fits).map(({ id }) => id),
        );
      }
      const ofPair = expected.filter(({ pair }) => pair === "ethusdt").map(({ id }) => id);
      expect((await listed(user, { pair: "ethusdt" })).map(({ id }) => Number(id))).toEqual(ofPair);
    }
  });

  it("return each order with all its fills", async () => {
    const trades = changes.flatMap((of) => of.trades);
    for (const order of ofUser(world.users[0] ?? "").filter((_, place) => place % 9 === 0)) {
      const read = await orderStore.read(order.user, order.id);
      expect(read).toMatchObject({ id: String(order.id), status: order.status, hasAllFills: true });
      const fills = trades.filter(({ buyOrderId, sellOrderId }) => buyOrderId === order.id || sellOrderId === order.id);
      expect(read?.fills.map(({ id }) => id)).toEqual(fills.map(({ id }) => String(id)));
    }
  });

  it("return no fill that came after the order was read", async () => {
    const user = world.users[0] ?? "";
    const timesOf = (id: number) =>
      changes.flatMap((of) => of.trades).flatMap((trade) => (trade.buyOrderId === id ? [trade.at] : []));
    const later = ofUser(user).find(({ id }) => new Set(timesOf(id)).size > 1);
    const read = await orderStore.read(user, later?.id ?? 0);
    const [first] = read?.fills ?? [];
    if (read === undefined || first === undefined) throw new Error("an order was filled at two times");
    const earlier = { ...read, filledQuantity: first.quantity, updatedAt: first.at };
    expect(await tradeStore.ofOrder(user, earlier)).toEqual({ fills: [first], hasAllFills: true });
  });

  it("return the same order from Redis and from PostgreSQL", async () => {
    const user = world.users[1] ?? "";
    const held = ofUser(user).find(
      (order) => isEnded(order) && order.filledLots > 0 && order.updatedAt < (changes[BATCHES / 3]?.at ?? 0),
    );
    const [fresh] = ofUser(user).filter(isEnded);
    expect(await stores.redis.exists(orderKey(held?.id ?? 0))).toBe(0);
    expect(await stores.redis.exists(orderKey(fresh?.id ?? 0))).toBe(1);
    const keysOf = async (id = 0) => Object.keys((await orderStore.read(user, id)) ?? {}).toSorted();
    expect(await keysOf(held?.id)).toEqual(await keysOf(fresh?.id));
  });

  it("page through every trade and movement, whatever the length of the lists in Redis", async () => {
    for (const user of world.users) {
      const trades = changes
        .flatMap((of) => of.trades.filter(({ buyUser, sellUser }) => buyUser === user || sellUser === user))
        .reverse();
      expect(await stores.redis.llen(userTradesKey(user))).toBe(200);
      expect(trades.length).toBeGreaterThan(400);
      for (const pair of [undefined, "btcidr"]) {
        const shown = await allPages(async (cursor) => {
          const beforeId = cursor === undefined ? undefined : Number(cursor);
          const page = await tradeStore.ofUser(user, { pair, beforeId, limit: 60 });
          return { items: page?.trades ?? [], nextCursor: page?.nextCursor ?? null };
        });
        const wanted = trades.filter((trade) => pair === undefined || trade.pair === pair);
        expect(shown.map(({ id }) => id)).toEqual(wanted.map(({ id }) => String(id)));
        expect(shown.map(({ side }) => side)).toEqual(wanted.map(({ buyUser }) => (buyUser === user ? "buy" : "sell")));
      }
      const movements = changes
        .flatMap((of) => of.movements.filter(({ from, to }) => from === user || to === user))
        .reverse();
      const shown = await allPages(async (cursor) => {
        const page = await walletHistory(user, { cursor, limit: 33 });
        return { items: page?.entries ?? [], nextCursor: page?.nextCursor ?? null };
      });
      expect(movements.length).toBeGreaterThan(200);
      expect(shown.map(({ id, direction }) => `${id} ${direction}`)).toEqual(
        movements.map(({ commandId, from }) => `${commandId} ${from === user ? "out" : "in"}`),
      );
      // Both sources use the shortest spelling of an amount.
      expect(shown.every(({ amount }) => /^(0|[1-9]\d*)(\.\d*[1-9])?$/.test(amount))).toBe(true);
    }
  });

  it("query PostgreSQL for nothing open, recent or nonexistent, and once for another user's order", async () => {
    const [user = "", other = ""] = world.users;
    const [newest] = ofUser(user);
    const old = ofUser(other).at(-1);
    const nextId = Math.max(...orders.keys()) + 1;
    statements = 0;
    await orderStore.list(user, { status: "open", pair: undefined, beforeId: undefined, limit: 100 });
    await orderStore.list(user, { status: undefined, pair: undefined, beforeId: undefined, limit: 20 });
    await orderStore.read(user, newest?.id ?? 0);
    await tradeStore.ofUser(user, { pair: undefined, beforeId: undefined, limit: 100 });
    await walletHistory(user, { cursor: undefined, limit: 100 });
    expect(await orderStore.read(user, nextId)).toBe(undefined);
    expect(await orderStore.isOwn(user, nextId + 1_000_000)).toBe(false);
    expect(statements).toBe(0);
    for (let asked = 0; asked < 20; asked++) expect(await orderStore.read(user, old?.id ?? 0)).toBe(undefined);
    expect(statements).toBe(1);
  });

  it("return recent data while PostgreSQL is unavailable, and an error where it is needed", async () => {
    const [user = ""] = world.users;
    const recent = ofUser(user);
    isUnavailable = true;
    try {
      const page = await orderStore.list(user, { status: undefined, pair: undefined, beforeId: undefined, limit: 100 });
      expect(page.orders.length).toBeGreaterThan(10);
      expect(page.orders.map(({ id }) => Number(id))).toEqual(recent.slice(0, page.orders.length).map(({ id }) => id));
      expect(page.nextCursor).toBe(page.orders.at(-1)?.id);
      const below = { status: undefined, pair: undefined, beforeId: recent.at(-20)?.id, limit: 5 };
      await expect(orderStore.list(user, below)).rejects.toThrow(DatabaseUnavailable);
      const trades = await tradeStore.ofUser(user, { pair: "ethusdt", beforeId: undefined, limit: 100 });
      expect(trades?.trades.length).toBeGreaterThan(0);
      expect(trades?.nextCursor).toBe(trades?.trades.at(-1)?.id);
    } finally {
      isUnavailable = false;
    }
  });

  it("find what a restore left out, with one query for a user who has nothing older", async () => {
    const { redis } = stores;
    const [user = ""] = world.users;
    const expected = ofUser(user);
    // As if the orders that ended in the first half had not been restored.
    const halfMs = changes[BATCHES / 2 - 1]?.at ?? 0;
    const left = expected.filter((order) => isEnded(order) && order.updatedAt <= halfMs).map(({ id }) => id);
    await redis.zrem(userOrdersKey(user), "below", ...left);
    await redis.hset(BELOW_KEY, { orders: Math.max(...left), trades: 1_000, movements: 1 });
    const kept = await redis.lrange(movementsKey(user), 0, 9);
    await redis.multi().ltrim(userTradesKey(user), 0, 9).ltrim(movementsKey(user), 0, 9).exec();
    expect(kept).toHaveLength(10);
    expect((await listed(user, {})).map(({ id }) => Number(id))).toEqual(expected.map(({ id }) => id));
    const trades = changes
      .flatMap((of) => of.trades)
      .filter(({ buyUser, sellUser }) => buyUser === user || sellUser === user);
    const page = await tradeStore.ofUser(user, { pair: undefined, beforeId: undefined, limit: 50 });
    expect(page?.trades.map(({ id }) => Number(id))).toEqual(
      trades
        .slice(-50)
        .map(({ id }) => id)
        .reverse(),
    );
    expect((await walletHistory(user, { cursor: undefined, limit: 50 }))?.entries).toHaveLength(50);

    const readAsNew = async () => {
      const newcomer = "00000000-0000-7000-8000-00000000beef";
      statements = 0;
      expect(
        (await orderStore.list(newcomer, { status: undefined, pair: undefined, beforeId: undefined, limit: 50 }))
          .orders,
      ).toEqual([]);
      expect((await tradeStore.ofUser(newcomer, { pair: undefined, beforeId: undefined, limit: 50 }))?.trades).toEqual(
        [],
      );
      expect((await walletHistory(newcomer, { cursor: undefined, limit: 50 }))?.entries).toEqual([]);
      return statements;
    };
    expect([await readAsNew(), await readAsNew()]).toEqual([3, 0]);
  });
});
