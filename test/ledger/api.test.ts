import { beforeAll, expect, it } from "vitest";
import { doRecordCommand } from "../../origin/operators/record-commands.ts";
import { archiveOrders } from "../../origin/record/archive/archive-orders.ts";
import { folderArchive } from "../../origin/record/archive/folder-archive.ts";
import { orderArchive } from "../../origin/record/archive/order-archive.ts";
import { orderKey } from "../../origin/state/keys.ts";
import { startTradingVenue, type Trader, type TradingVenue } from "../venue/trader.ts";
import type { TestVenue } from "../venue/venue.ts";
import { rowsOf } from "./ledger-stores.ts";

const TIMEOUT = { timeout: 30_000 };
let venue: TradingVenue;
let anna: Trader;
let ben: Trader;

beforeAll(async () => {
  venue = await startTradingVenue();
  anna = await venue.trader("anna", { idr: "10000000000", btc: "10" });
  ben = await venue.trader("ben", { idr: "10000000000", btc: "10" });
});

it("finds an order that Redis no longer holds in PostgreSQL, then in the archive, for its owner only", async () => {
  await anna.place({ side: "sell", price: "1000000000", quantity: "0.003" });
  const bought = await ben.place({ side: "buy", price: "1000000000", quantity: "0.003", clientOrderId: "ben-1" });
  const id = Number(bought.body["id"]);
  const { body: before } = await ben.call("GET", `/orders/${id}`);
  expect(before).toMatchObject({ status: "filled", clientOrderId: "ben-1", hasAllFills: true });
  await expect
    .poll(() => rowsOf(venue.database, `SELECT status FROM orders WHERE id = ${id}`), TIMEOUT)
    .toEqual([{ status: "filled" }]);
  await venue.redis.del(orderKey(id));
  expect((await ben.call("GET", `/orders/${id}`)).body).toEqual(before);
  const archive = orderArchive(folderArchive(`${venue.folder}/archive`));
  expect(await archiveOrders({ database: venue.database, archive, beforeMs: Date.now() + 1_000 })).toBe(2);
  expect(await rowsOf(venue.database, `SELECT status FROM orders WHERE id = ${id}`)).toEqual([]);
  expect((await ben.call("GET", `/orders/${id}`)).body).toEqual(before);
  expect(await anna.call("GET", `/orders/${id}`)).toMatchObject({ status: 404, body: { code: "order_not_found" } });
  expect((await ben.call("GET", "/orders/999999")).status).toBe(404);
});

it("shows only admins how far the record is behind", async () => {
  const metrics = await venue.call("GET", "/metrics", { token: venue.adminToken });
  expect(metrics.text).toMatch(/^sluice_venue_backlog_entries \d+$/m);
  expect(metrics.text).toMatch(/^sluice_venue_ledger_sequence [1-9]\d*$/m);
  expect((await anna.call("GET", "/metrics")).status).toBe(403);
  const health = await venue.fetch(new Request("http://venue.test/health"));
  expect(await health.json()).toMatchObject({
    parts: expect.arrayContaining([{ name: "ledger", state: "ok", detail: expect.stringContaining("behind") }]),
  });
});

it("passes an audit from the command line of its machine", async () => {
  const work = {
    database: venue.database,
    redis: venue.redis,
    redisUrl: venue.redisServer.url,
    nowMs: Date.now,
    isRunning: true,
  };
  const audit = await doRecordCommand({ ...work, name: "audit", target: undefined });
  expect(audit).toMatchObject({ code: 0, text: expect.stringMatching(/✓ conservation.*\n.*✓ balances/) });
  const backup = await doRecordCommand({ ...work, name: "backup", target: `${venue.folder}/backup` });
  expect(backup).toMatchObject({ code: 0, text: expect.stringContaining("and Redis in") });
  expect(await doRecordCommand({ ...work, name: "backup", target: `${venue.folder}/backup` })).toMatchObject({
    code: 1,
    text: expect.stringContaining("not empty"),
  });
  expect(await doRecordCommand({ ...work, name: "restore", target: undefined })).toMatchObject({
    code: 1,
    text: expect.stringContaining("already holds a venue"),
  });
  expect(await doRecordCommand({ ...work, name: "restore", target: `${venue.folder}/backup` })).toMatchObject({
    code: 1,
    text: expect.stringContaining("stop the venue first"),
  });
});

it("trades while PostgreSQL is unavailable, refuses orders at the bound, and recovers by itself", async () => {
  const resting = await anna.place({ side: "sell", price: "1100000000", quantity: "0.001" });
  venue.postgres.freeze();
  try {
    let last = await anna.place({ side: "sell", price: "1100000000", quantity: "0.001" });
    expect(last.status).toBe(201);
    const orders = Array.from({ length: 100 }, () => ({
      pair: "btcidr",
      side: "buy",
      type: "limit",
      price: "900000000",
      quantity: "0.001",
      timeInForce: "IOC",
    }));
    const fillMore = async () => {
      last = await ben.call("POST", "/orders/batch", { json: { orders } });
      return last.status;
    };
    // A fast machine reaches the rate limit of one user first, and continues at that rate.
    await expect.poll(fillMore, { ...TIMEOUT, interval: 10 }).toBe(503);
    expect(last.body).toMatchObject({ code: "backlog_full" });
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await anna.call("DELETE", `/orders/${resting.body["id"]}`)).status).toBe(200);
  } finally {
    venue.postgres.thaw();
  }
  await expect
    .poll(async () => (await anna.place({ side: "sell", price: "1100000000", quantity: "0.001" })).status, TIMEOUT)
    .toBe(201);
  const audit = await doRecordCommand({
    ...{ database: venue.database, redis: venue.redis, redisUrl: "", nowMs: Date.now, isRunning: true },
    name: "audit",
    target: undefined,
  });
  expect(audit.code, audit.text).toBe(0);
});

it("refuses to trade on a Redis with an older state or none, and names the remedy", async () => {
  const healthOf = async (of: TradingVenue | TestVenue) =>
    JSON.stringify(await (await of.fetch(new Request("http://venue.test/health"))).json());
  const { sequence } = (
    await rowsOf(
      venue.database,
      "SELECT sequence::int AS sequence FROM ledger_consumer_offsets WHERE consumer = 'ledger'",
    )
  )[0] as { sequence: number };
  const offset = await venue.redis.hgetall("v1:{t0}:offset");
  await venue.redis.hset("v1:{t0}:offset", "sequence", "3");
  const behind = await venue.again();
  await expect.poll(() => healthOf(behind), TIMEOUT).toContain(`ends at entry 3, and PostgreSQL at ${sequence}`);
  await venue.redis.hset("v1:{t0}:offset", offset);
  await venue.redis.flushall();
  const empty = await venue.again();
  await expect.poll(() => healthOf(empty), TIMEOUT).toContain("npm run sluice -- restore");
});
