// @module-tag timing: a command fails at once, or within its time limit, while Redis is unavailable.

import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type IoredisStore, openIoredisStore } from "../../edge/node/ioredis-store.ts";
import { borrowRedisCluster } from "../../kit/borrowed-servers.ts";
import { steadyNowMs } from "../../kit/steady-clock.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { defineScript } from "../../shared/store/define-script.ts";
import { freePort } from "../../stack/servers/free-port.ts";
import { type RedisServer, startRedisServer } from "../../stack/servers/redis-server.ts";

/** The longest wait of a visitor in the worst case. */
const WAIT_MS_MAX = 950;
const AT_ONCE_MS = 300;

const count = defineScript({
  name: "count",
  source: "-- KEYS[1] counter\nreturn redis.call('INCRBY', KEYS[1], tonumber(ARGV[1]))",
  keys: ["counter"],
  args: { by: z.number() },
  reply: z.number(),
});

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function open(url: string): IoredisStore {
  const store = openIoredisStore({ urls: [url], isCluster: false });
  closing.push(store.close);
  return store;
}

async function startRedis(options: { port?: number } = {}): Promise<RedisServer> {
  const redis = await startRedisServer({ folder: await temporaryFolder(), fsync: "no", ...options });
  closing.push(redis.stop);
  return redis;
}

const add = (store: IoredisStore, by = 1) => count.run(store.runner, { keys: { counter: "c" }, args: { by } });

async function failure(work: Promise<unknown>): Promise<{ readonly message: string; readonly tookMs: number }> {
  const startedAt = steadyNowMs();
  const error = await work.then(
    () => new Error("it did not fail"),
    (reason: Error) => reason,
  );
  return { message: error.message, tookMs: steadyNowMs() - startedAt };
}

describe("the store on Node", () => {
  it("runs a script, and again after the server has forgotten it", async () => {
    const redis = await startRedis();
    const store = open(redis.url);
    await store.settled;
    expect([await add(store), await add(store, 5)]).toEqual([1, 6]);
  });

  it("fails at once while the server is down, queues nothing, and reconnects automatically", async () => {
    const port = await freePort();
    const store = open(`redis://127.0.0.1:${port}`);
    await store.settled;
    for (let call = 0; call < 5; call++) {
      const { message, tookMs } = await failure(add(store, 100));
      expect(message).not.toBe("it did not fail");
      expect(tookMs).toBeLessThan(AT_ONCE_MS);
    }
    await startRedis({ port });
    await expect.poll(() => add(store).catch(() => "away")).toBe(1);
  });

  it("times out while the server hangs, and repeats no command", async () => {
    const redis = await startRedis();
    const store = open(redis.url);
    await store.settled;
    await add(store);
    expect(redis.child.pid).toBeGreaterThan(1);
    process.kill(redis.child.pid, "SIGSTOP");
    try {
      const { message, tookMs } = await failure(add(store, 10));
      expect(message).toMatch(/timed out/i);
      expect(tookMs).toBeLessThan(WAIT_MS_MAX);
    } finally {
      process.kill(redis.child.pid, "SIGCONT");
    }
    await expect.poll(() => add(store, 0).catch(() => "away")).toBe(11);
  });

  it("fails at once when the server dies in the middle of a call, and does not send it again to the next one", async () => {
    const redis = await startRedis();
    const store = open(redis.url);
    await store.settled;
    await add(store);
    process.kill(redis.child.pid, "SIGSTOP");
    const failed = failure(add(store, 10));
    process.kill(redis.child.pid, "SIGKILL");
    await redis.child.exited;
    // Back before the caller could have given up: now a client that sends again would.
    await startRedis({ port: redis.port });
    const { tookMs } = await failed;
    expect(tookMs).toBeLessThan(WAIT_MS_MAX);
    await expect.poll(() => add(store).catch(() => "away")).toBe(1);
  });
});

describe("the store on a cluster", async () => {
  const cluster = await borrowRedisCluster();
  const [first, ...others] = cluster.nodes.map(({ host, port }) => `redis://${host}:${port}`) as [string, ...string[]];

  it("finds each script's node from one known node or from all", async () => {
    for (const urls of [[first], [first, ...others]] as const) {
      const store = openIoredisStore({ urls: urls as [string, ...string[]], isCluster: true });
      closing.push(store.close);
      await store.settled;
      for (let queue = 0; queue < 20; queue++) {
        const run = () =>
          count.run(store.runner, { keys: { counter: `queue:{${urls.length}-${queue}}:c` }, args: { by: 1 } });
        expect([await run(), await run()]).toEqual([1, 2]);
      }
    }
  });

  it("fails at once while no node is reachable", async () => {
    const store = openIoredisStore({ urls: [`redis://127.0.0.1:${await freePort()}`], isCluster: true });
    closing.push(store.close);
    await store.settled;
    expect((await failure(add(store))).tookMs).toBeLessThan(AT_ONCE_MS);
  });
});
