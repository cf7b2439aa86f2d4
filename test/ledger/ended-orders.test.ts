import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { archiveOrders } from "../../origin/record/archive/archive-orders.ts";
import { folderArchive } from "../../origin/record/archive/folder-archive.ts";
import { orderArchive } from "../../origin/record/archive/order-archive.ts";
import { LISTS_KEY, orderKey } from "../../origin/state/keys.ts";
import { startTradingVenue, type Trader, type TradingVenue } from "../venue/trader.ts";
import { rowsOf } from "./ledger-stores.ts";

const TIMEOUT = { timeout: 30_000 };
/** Two requests in this time stay below the user's rate limit. */
const READ_EVERY_MS = 45;

let venue: TradingVenue;
let anna: Trader;
let ben: Trader;

/** An order leaves Redis as soon as possible, and the tables are written every second. */
beforeAll(async () => {
  venue = await startTradingVenue({ kept: { keptMs: 0 } });
  anna = await venue.trader("anna", { btc: "10" });
  ben = await venue.trader("ben", { idr: "10000000000" });
});

/** Reads an order by id and in the list continuously, and returns every distinct state that it saw. */
function watchOrder(trader: Trader, id: string) {
  const seen: string[] = [];
  let isWatching = true;
  const note = (what: string) => {
    if (seen.at(-1) !== what) seen.push(what);
  };
  const running = (async () => {
    while (isWatching) {
      const one = await trader.call("GET", `/orders/${id}`);
      const { orders } = (await trader.call("GET", "/orders")).body as unknown as {
        orders: readonly Record<string, unknown>[];
      };
      const inList = orders.filter((order) => order["id"] === id).map(({ status }) => status);
      note(`${one.status} ${String(one.body["status"])}, listed ${inList.length} time`);
      expect(one.body["hasAllFills"]).toBe(true);
      await sleep(READ_EVERY_MS);
    }
  })();
  return {
    stop: async () => {
      isWatching = false;
      await running;
      return seen.map((what) => what.replace(", listed 1 time", ""));
    },
  };
}

const isInRedis = async (id: string) => (await venue.redis.exists(orderKey(Number(id)))) === 1;

it("reads an order at every moment of its life: in Redis, in PostgreSQL, in the archive", async () => {
  const sell = await anna.place({ side: "sell", price: "1000000000", quantity: "0.003", clientOrderId: "anna-1" });
  const id = String(sell.body["id"]);
  const watch = watchOrder(anna, id);
  expect((await ben.place({ side: "buy", price: "1000000000", quantity: "0.001" })).status).toBe(201);
  await expect.poll(async () => (await anna.call("GET", `/orders/${id}`)).body["status"]).toBe("partiallyFilled");
  await sleep(2 * READ_EVERY_MS);
  expect((await ben.place({ side: "buy", price: "1000000000", quantity: "0.002" })).status).toBe(201);
  const { body: inRedis } = await anna.call("GET", `/orders/${id}`);
  expect(inRedis).toMatchObject({ status: "filled", clientOrderId: "anna-1", fills: [{}, {}] });
  await expect.poll(() => isInRedis(id), TIMEOUT).toBe(false);
  expect((await anna.call("GET", `/orders/${id}`)).body).toEqual(inRedis);
  await sleep(2 * READ_EVERY_MS);
  // A read between two states may see one of them by id and the other in the list; it never misses the order.
  expect(await watch.stop()).toEqual(["200 open", "200 partiallyFilled", "200 filled"]);
  expect((await anna.call("DELETE", `/orders/${id}`)).body.code).toBe("order_not_open");
  expect((await ben.call("DELETE", `/orders/${id}`)).body.code).toBe("order_not_found");
  expect((await ben.call("GET", `/orders/${id}`)).status).toBe(404);

  const archive = orderArchive(folderArchive(`${venue.folder}/archive`));
  expect(await archiveOrders({ database: venue.database, archive, beforeMs: Date.now() + 1_000 })).toBe(3);
  expect(await rowsOf(venue.database, `SELECT id FROM orders WHERE id = ${id}`)).toEqual([]);
  expect((await anna.call("GET", `/orders/${id}`)).body).toEqual(inRedis);
  const elsewhere = await venue.again();
  expect((await elsewhere.call("GET", `/orders/${id}`, { token: anna.token })).body).toEqual(inRedis);
});

it("reads an order list at every moment of its life, by id and in the list", async () => {
  const legs = { above: { type: "limit", price: "1100000000" }, below: { type: "stop", stopPrice: "900000000" } };
  const json = { type: "oco", pair: "btcidr", side: "sell", quantity: "0.01", ...legs, clientListId: "anna-list" };
  const { body: placed } = await anna.call("POST", "/order-lists", { json });
  const path = `/order-lists/${String(placed["id"])}`;
  const kept = await anna.call("POST", "/order-lists", { json: { ...json, clientListId: "kept" } });
  const { body: done } = await anna.call("DELETE", path);
  expect(done).toMatchObject({ status: "done", orders: [{ status: "cancelled" }, { status: "cancelled" }] });
  const listed = async () =>
    ((await anna.call("GET", "/order-lists")).body as unknown as { lists: readonly unknown[] }).lists;
  const before = await listed();
  expect(before).toMatchObject([{ id: kept.body["id"], status: "active" }, done]);
  await expect.poll(() => venue.redis.hexists(LISTS_KEY, String(placed["id"])), TIMEOUT).toBe(0);
  expect(await venue.redis.hexists(LISTS_KEY, String(kept.body["id"]))).toBe(1);
  expect((await anna.call("GET", path)).body).toEqual(done);
  expect(await listed()).toEqual(before);
  expect((await anna.call("GET", "/order-lists?status=done")).body["lists"]).toEqual([done]);
  expect((await anna.call("DELETE", path)).body.code).toBe("list_not_active");
  expect((await ben.call("GET", path)).body.code).toBe("list_not_found");
  expect((await anna.call("POST", "/order-lists", { json })).body).toEqual(done);

  const archive = orderArchive(folderArchive(`${venue.folder}/archive`));
  await archiveOrders({ database: venue.database, archive, beforeMs: Date.now() + 1_000 });
  expect(await rowsOf(venue.database, "SELECT id FROM order_lists WHERE status = 'done'")).toEqual([]);
  expect((await anna.call("GET", path)).body).toEqual(done);
  expect(await listed()).toEqual(before.slice(0, 1));
});

it("keeps ended orders in Redis while PostgreSQL is unavailable, and deletes them afterwards", async () => {
  const first = String((await anna.place({ side: "sell", price: "1100000000", quantity: "0.001" })).body["id"]);
  await expect
    .poll(() => rowsOf(venue.database, `SELECT status FROM orders WHERE id = ${first}`), TIMEOUT)
    .toEqual([{ status: "open" }]);
  venue.postgres.freeze();
  let seen: readonly string[] = [];
  const watch = watchOrder(anna, first);
  try {
    expect((await anna.call("DELETE", `/orders/${first}`)).status).toBe(200);
    // Longer than the tables' interval and several runs of the worker that deletes ended orders.
    for (let look = 0; look < 60; look++) {
      expect(await isInRedis(first)).toBe(true);
      await sleep(READ_EVERY_MS);
    }
  } finally {
    venue.postgres.thaw();
  }
  await expect.poll(() => isInRedis(first), TIMEOUT).toBe(false);
  seen = await watch.stop();
  expect(seen).toEqual(["200 open", "200 cancelled"]);
  const metrics = await venue.call("GET", "/metrics", { token: venue.adminToken });
  expect(metrics.text).toMatch(/^sluice_venue_ended_orders \d+$/m);
});
