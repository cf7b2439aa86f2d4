import { join } from "node:path";
import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { WALLETS_KEY, walletKey } from "../../origin/projections/keys.ts";
import { loadState } from "../../origin/projections/load-state.ts";
import { readWallets } from "../../origin/projections/read-wallets.ts";
import { askLoadingProgress } from "../../origin/redis/loading-progress.ts";
import { startChild } from "../../origin/stack/child.ts";
import { findProgram } from "../../origin/stack/find-program.ts";
import { REDIS_PROGRAMS, startRedisServer } from "../../origin/stack/redis-server.ts";
import { temporaryFolder } from "../parts/temporary-folder.ts";
import { deposit, engineIs, startCore } from "./core.ts";

it("tells how far it is while it loads", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const { sequence } = await core.commit(deposit("ann", "idr", 5n));
  await core.trading.commands.untilProjected(sequence);
  await core.trading.stop();
  const pipeline = core.redis.pipeline();
  for (let user = 0; user < 2_500; user++) pipeline.hset(walletKey(`user-${user}`), "idr", "0,0").sadd(WALLETS_KEY, `user-${user}`);
  await pipeline.exec();
  const told: string[] = [];
  const loaded = await loadState(core.redis, (progress) => told.push(progress));
  expect(loaded.ok && loaded.value.changes.balances.length).toBe(2_501);
  const ofWallets = told.filter((progress) => progress.startsWith("wallets, "));
  expect(ofWallets.length).toBeGreaterThan(3);
  expect(ofWallets.at(-1)).toBe("wallets, 2,501 of about 2,501");
  expect(new Set(told).size).toBe(told.length);
});

it("reads every wallet once, also where there are none or exactly a page", async () => {
  const server = await startRedisServer({ folder: await temporaryFolder(), fsync: "no" });
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
    await server.stop();
  }
});

it("says how far a Redis is that still loads its file", async () => {
  const folder = await temporaryFolder();
  const server = await startRedisServer({ folder, fsync: "always" });
  const filling = new Redis(server.url);
  const pipeline = filling.pipeline();
  for (let key = 0; key < 20_000; key++) pipeline.set(`key-${key}`, "x".repeat(200));
  await pipeline.exec();
  filling.disconnect();
  await server.stop();

  // Slowed down by Redis itself: two seconds or more for this file.
  const args = [join(folder, "redis.conf"), "--key-load-delay", "100", "--loading-process-events-interval-bytes", "1024"];
  const child = startChild({ name: "loading", command: findProgram(...REDIS_PROGRAMS) ?? "", args });
  const redis = new Redis(server.url, { lazyConnect: true });
  const told: (string | undefined)[] = [];
  try {
    await expect.poll(() => askLoadingProgress(redis).then((text) => told.push(text) && text), { timeout: 20_000 }).toBeDefined();
    await expect.poll(() => askLoadingProgress(redis).then((text) => told.push(text) && text), { timeout: 60_000 }).toBeUndefined();
    const seen = told.filter((text) => text !== undefined);
    expect(seen[0]).toMatch(/^Redis loads its file: \d+\.\d+ % \(\d+ MiB\)$/);
    expect(new Set(seen).size).toBeGreaterThan(1);
  } finally {
    redis.disconnect();
    await child.stop();
  }
});
