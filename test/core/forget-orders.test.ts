import { afterAll, expect, it } from "vitest";
import { TABLES_KEY } from "../../origin/journal/keys.ts";
import { connectRedis } from "../../origin/redis/connect.ts";
import { startForgetting } from "../../origin/state/forget-orders.ts";
import { ENDED_KEY, orderKey, userOrdersKey } from "../../origin/state/keys.ts";
import { createLogger } from "../../stack/program/log.ts";
import { deposit, engineIs, limitOrder, startCore, type TestCore, until } from "./core.ts";

const MINUTE_MS = 60_000;
const log = createLogger("forget-test", { write: () => {} });

type Options = Partial<Parameters<typeof startForgetting>[0]>;

function forget({ server, redis }: TestCore, options: Options = {}) {
  const writer = connectRedis(server.url, log, { isRaw: true });
  const forgetting = startForgetting({ redis, writer, nowMs: Date.now, log, ...options });
  afterAll(async () => {
    await forgetting.stop();
    writer.disconnect();
  });
  return forgetting;
}

/**
 * Places one resting order, then so many that end at once; returns the ids of the latter, and the last journal entry.
 */
async function endOrders(core: TestCore, count: number) {
  await core.commit(deposit("ann", "idr", 10n ** 14n));
  const order = { user: "ann", side: "buy", ticks: 1_000_000, lots: 100 } as const;
  await core.commit(limitOrder(order));
  const ids: number[] = [];
  let sequence = 0;
  for (let done = 0; done < count; done++) {
    const ended = await core.commit(limitOrder({ ...order, timeInForce: "IOC" }));
    if (ended.outcome.kind !== "order") throw new Error("it is placed");
    ids.push(ended.outcome.order.id);
    sequence = ended.sequence;
    // One step of the projection for each, so that each can be forgotten without the next.
    expect(await core.trading.commands.untilProjected(sequence)).toBe(true);
  }
  return { ids, sequence };
}

const heldOf = async ({ redis }: TestCore, ids: readonly number[]) => redis.exists(ids.map(orderKey));

it("forgets an ended order some minutes after its end, once PostgreSQL's tables have it, and no open one", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const { ids, sequence } = await endOrders(core, 3);
  const inFiveMinutes = forget(core, { nowMs: () => Date.now() + 4 * MINUTE_MS });
  await core.redis.set(TABLES_KEY, sequence);
  await until(() => inFiveMinutes.held() === 3);
  expect(await heldOf(core, ids)).toBe(3);
  await inFiveMinutes.stop();

  await core.redis.set(TABLES_KEY, sequence - 1);
  const forgetting = forget(core, { nowMs: () => Date.now() + 6 * MINUTE_MS });
  await until(() => forgetting.held() === 1);
  expect(await heldOf(core, ids)).toBe(1);
  await core.redis.set(TABLES_KEY, sequence);
  await until(() => forgetting.held() === 0);
  expect(await heldOf(core, ids)).toBe(0);
  expect(await core.redis.exists(orderKey(1))).toBe(1);
  expect(await core.redis.llen(ENDED_KEY)).toBe(0);
  // The list of orders still holds the open one, and the id up to which it is incomplete.
  expect(await core.redis.zrange(userOrdersKey("ann"), "0", "-1", "WITHSCORES")).toEqual([
    "below",
    String(-Math.max(...ids)),
    "1",
    "-1",
  ]);
});

it("holds no more ended orders than it may, however young they are, also when several processes forget", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const { ids, sequence } = await endOrders(core, 40);
  await core.redis.set(TABLES_KEY, sequence);
  const workers = [forget(core, { keptMax: 10 }), forget(core, { keptMax: 10 })];
  await until(async () => (await heldOf(core, ids)) <= 10);
  await until(() => workers.every((worker) => worker.held() <= 10));
  const held = await heldOf(core, ids);
  expect(held).toBeGreaterThan(0);
  expect(await heldOf(core, ids.slice(-held))).toBe(held);
});

it("holds nothing that the tables have when Redis is short of memory, and everything that they do not have", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const { ids } = await endOrders(core, 5);
  const forgetting = forget(core, { isTight: () => true, keptMax: 0 });
  await until(() => forgetting.held() === 5);
  expect(await heldOf(core, ids)).toBe(5);
});

it("forgets the orders of many small journal entries in one step", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const { ids, sequence } = await endOrders(core, 40);
  expect(await core.redis.llen(ENDED_KEY)).toBe(40);
  await core.redis.set(TABLES_KEY, sequence);
  forget(core, { keptMax: 0 });
  await until(async () => (await heldOf(core, ids)) === 0);
  const statistics = await core.redis.info("commandstats");
  expect(Number(statistics.match(/cmdstat_lpop:calls=(\d+)/)?.[1])).toBe(1);
});
