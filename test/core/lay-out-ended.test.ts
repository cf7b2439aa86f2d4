import { Redis } from "ioredis";
import { afterAll, expect, it } from "vitest";
import { borrowRedis } from "../../kit/borrowed-servers.ts";
import { TABLES_KEY } from "../../origin/journal/keys.ts";
import { connectRedis } from "../../origin/redis/connect.ts";
import { endedFrom, idsOf } from "../../origin/state/ended-orders.ts";
import { startForgetting } from "../../origin/state/forget-orders.ts";
import { ENDED_KEY, movementsKey, orderKey, userOrdersKey, userTradesKey } from "../../origin/state/keys.ts";
import { layOutEnded } from "../../origin/upgrade/lay-out-ended.ts";
import { createLogger } from "../../stack/program/log.ts";
import { until } from "./core.ts";

const ORDERS = 4_500;
const SEQUENCE = 900;
const log = createLogger("lay-out-test", { write: () => {} });

/**
 * As the previous version leaves it: an open order, ended ones in lists by status and day, some long gone and still in
 * their user's list.
 */
async function startOldStore() {
  const server = await borrowRedis({ fsync: "no" });
  const redis = new Redis(server.url);
  afterAll(async () => {
    redis.disconnect();
  });
  await redis.hset("v1:{t0}:projected", {
    sequence: SEQUENCE,
    hash: "h",
    command: "c",
    at: 1_000,
    next_order_id: 5_002,
    next_trade_id: 700,
  });
  await redis.hset("v1:{t0}:consumers", "ledger", SEQUENCE);
  await redis.sadd("v1:{t0}:wallets", "ann", "bob");
  const pipeline = redis.pipeline();
  for (let id = 1; id <= ORDERS + 500; id++) {
    const user = id % 3 === 0 ? "bob" : "ann";
    pipeline.zadd(userOrdersKey(user), -id, id);
    if (id <= 500) continue;
    const list = `v1:{t0}:orders:status:${id % 2 === 0 ? "filled" : "cancelled"}:${id < 2_000 ? 20_000 : 20_001}`;
    pipeline.hset(orderKey(id), { id, user, status: "filled" }).rpush(list, id).sadd("v1:{t0}:orders:ended", list);
  }
  pipeline.hset(orderKey(5_001), { id: 5_001, user: "ann", status: "open" }).zadd(userOrdersKey("ann"), -5_001, 5_001);
  for (let id = 1; id <= 1_040; id++)
    pipeline.lpush(userTradesKey("ann"), `{"id":${id}}`).lpush(movementsKey("bob"), `{"id":"${id}"}`);
  await pipeline.exec();
  return { redis, server };
}

const waiting = async (redis: Awaited<ReturnType<typeof startOldStore>>["redis"]) =>
  (await redis.lrange(ENDED_KEY, 0, -1)).flatMap((text) => idsOf(endedFrom(text))).toSorted((a, b) => a - b);

it("upgrades a store of the previous version to the new layout, also after an interruption, and loses no order", async () => {
  const { redis, server } = await startOldStore();
  const everyOrder = Array.from({ length: ORDERS }, (_, place) => 501 + place);
  let pages = 0;
  const dying = layOutEnded(redis, () => {
    if (++pages === 3) throw new Error("killed");
  });
  await expect(dying).rejects.toThrow("killed");
  const half = (await waiting(redis)).length;
  expect(half).toBeGreaterThan(0);
  expect(half).toBeLessThan(ORDERS);

  await layOutEnded(redis);
  expect(await waiting(redis)).toEqual(everyOrder);
  expect(await redis.get("v1:{t0}:ended:total")).toBe(String(ORDERS));
  expect(await redis.keys("v1:{t0}:orders:status:*")).toEqual([]);
  expect(await redis.exists("v1:{t0}:orders:ended")).toBe(0);
  expect(await redis.hgetall("v1:{t0}:below")).toEqual({ trades: "699", movements: "1" });
  expect(await redis.exists(everyOrder.map(orderKey))).toBe(ORDERS);
  expect((await redis.zcard(userOrdersKey("ann"))) + (await redis.zcard(userOrdersKey("bob")))).toBe(ORDERS + 1 + 2);
  expect([await redis.llen(userTradesKey("ann")), await redis.llen(movementsKey("bob"))]).toEqual([200, 200]);
  await layOutEnded(redis);
  expect(await waiting(redis)).toEqual(everyOrder);

  // Nothing leaves before PostgreSQL has it; then all of it does, from its user's list as well.
  const writer = connectRedis(server.url, log, { isRaw: true });
  const forgetting = startForgetting({ redis, writer, nowMs: Date.now, log });
  await until(() => forgetting.held() === ORDERS);
  expect(await redis.exists(everyOrder.map(orderKey))).toBe(ORDERS);
  await redis.set(TABLES_KEY, SEQUENCE);
  await until(() => forgetting.held() === 0);
  await forgetting.stop();
  writer.disconnect();
  expect(await redis.exists(everyOrder.map(orderKey))).toBe(0);
  expect(await redis.zrange(userOrdersKey("ann"), "0", "-1")).toEqual(["5001", "below"]);
  expect(await redis.zrange(userOrdersKey("bob"), "0", "-1")).toEqual(["below"]);
});
