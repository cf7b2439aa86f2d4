import { join } from "node:path";
import { Hono } from "hono";
import { Redis } from "ioredis";
import { pino } from "pino";
import { expect, it } from "vitest";
import { borrowRedis } from "../../kit/borrowed-servers.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import type { Database } from "../../origin/db/database.ts";
import { connectRedis } from "../../origin/redis/connect.ts";
import { USERS_KEY, WALLETS_KEY, walletKey } from "../../origin/state/keys.ts";
import { loadState } from "../../origin/state/load-state.ts";
import { readWallets } from "../../origin/state/read-wallets.ts";
import { healthRoute } from "../../origin/system/health-route.ts";
import { startChild } from "../../stack/servers/child.ts";
import { findProgram } from "../../stack/servers/find-program.ts";
import { askLoadingProgress } from "../../stack/servers/loading-progress.ts";
import { REDIS_PROGRAMS, startRedisServer } from "../../stack/servers/redis-server.ts";
import { deposit, engineIs, startCore } from "./core.ts";

it("reports its progress while it loads", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const { sequence } = await core.commit(deposit("ann", "idr", 5n));
  await core.trading.commands.untilProjected(sequence);
  await core.trading.stop();
  const pipeline = core.redis.pipeline();
  for (let user = 0; user < 2_500; user++)
    pipeline.hset(walletKey(`user-${user}`), "idr", "0,0").sadd(WALLETS_KEY, `user-${user}`);
  await pipeline.exec();
  const told: string[] = [];
  const loaded = await loadState(core.redis, { onProgress: (progress) => void told.push(progress) });
  expect(loaded.ok && loaded.value.changes.balances.length).toBe(2_501);
  const ofWallets = told.filter((progress) => progress.startsWith("wallets, "));
  expect(ofWallets.length).toBeGreaterThan(3);
  expect(ofWallets.at(-1)).toBe("wallets, 2,501 of about 2,501");
  expect(new Set(told).size).toBe(told.length);
});

it("shows in its health what the engine is loading", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  await core.trading.stop();
  const users = Array.from({ length: 700 }, (_, index) => [`user-${index}`, "0"]);
  await core.redis.hset(USERS_KEY, Object.fromEntries(users));
  const gate = Promise.withResolvers<void>();
  const again = await core.again({
    connect: (url, log, options) => {
      const redis = connectRedis(url, log, options);
      const scard = redis.scard.bind(redis);
      // The first question about wallets, which come after users.
      return Object.assign(redis, { scard: async (key: string) => gate.promise.then(() => scard(key)) });
    },
  });
  const engine = () => again.trading.health().find(({ name }) => name === "engine");
  await expect.poll(engine).toMatchObject({ state: "down", detail: "The engine is loading users, 700 of about 700." });
  gate.resolve();
  await engineIs(again, "leader");
});

it("reads every wallet once, also where there are none or exactly a page", async () => {
  const server = await borrowRedis({ fsync: "no" });
  const redis = new Redis(server.url);
  try {
    for (const count of [0, 1, 500, 1_700]) {
      await redis.flushall();
      const users = Array.from({ length: count }, (_, index) => `user-${index}`);
      const pipeline = redis.pipeline();
      for (const user of users) pipeline.hset(walletKey(user), "idr", `${user},0`).sadd(WALLETS_KEY, user);
      await pipeline.exec();
      const read: string[] = [];
      for await (const { user, wallet } of readWallets(redis)) {
        expect(wallet).toEqual({ idr: `${user},0` });
        read.push(user);
      }
      expect(read.toSorted()).toEqual(users.toSorted());
    }
  } finally {
    redis.disconnect();
  }
});

it("reports the progress of a Redis that still loads its file", async () => {
  const folder = await temporaryFolder();
  const server = await startRedisServer({ folder, fsync: "always" });
  const filling = new Redis(server.url);
  const pipeline = filling.pipeline();
  for (let key = 0; key < 20_000; key++) pipeline.set(`key-${key}`, "x".repeat(200));
  await pipeline.exec();
  filling.disconnect();
  await server.stop();

  // Slowed down by Redis itself: two seconds or more for this file.
  const args = [
    join(folder, "redis.conf"),
    "--key-load-delay",
    "150",
    "--loading-process-events-interval-bytes",
    "1024",
  ];
  const child = startChild({ name: "loading", command: findProgram(...REDIS_PROGRAMS) ?? "", args });
  const redis = new Redis(server.url, { lazyConnect: true });
  const venueRedis = connectRedis(server.url, pino({ level: "silent" }));
  const app = new Hono().get("/health", healthRoute({ venueRedis, database: { ping: async () => {} } as Database }));
  const health = async () => (await app.request("/health")).text();
  const told: (string | undefined)[] = [];
  try {
    await expect.poll(health, { timeout: 20_000 }).toContain("The venue's Redis loads its file: ");
    await expect
      .poll(() => askLoadingProgress(redis).then((text) => told.push(text) && text), { timeout: 20_000 })
      .toBeDefined();
    await expect
      .poll(() => askLoadingProgress(redis).then((text) => told.push(text) && text), { timeout: 60_000 })
      .toBeUndefined();
    const seen = told.filter((text) => text !== undefined);
    expect(seen[0]).toMatch(/^Redis loads its file: \d+\.\d+ % \(\d+ MiB\)$/);
    expect(new Set(seen).size).toBeGreaterThan(1);
    await expect.poll(health, { timeout: 20_000 }).toContain('"status":"ok"');
  } finally {
    venueRedis.disconnect();
    redis.disconnect();
    await child.stop();
  }
});
