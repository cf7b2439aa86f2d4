import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { launchStack, processesOf, SLOW_MACHINE_MS, startStack } from "../../kit/running-stack.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { FULL_TOKEN, startTestBridge } from "../../kit/test-bridge.ts";
import { RESTORING_KEY } from "../../origin/journal/keys.ts";
import { freePort } from "../../stack/servers/free-port.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";

const statusOf = async (url: string) => (await fetch(url)).status;

describe("npm start with the user's own servers", { timeout: SLOW_MACHINE_MS }, () => {
  it("starts no Redis of its own when both are given, and never shows their passwords", async () => {
    const own = await startRedisServer({
      folder: await temporaryFolder(),
      fsync: "always",
      password: "hunter2-hunter2",
    });
    const folder = await temporaryFolder();
    const stack = await startStack({ folder, environment: { REDIS_URL: own.url, VENUE_REDIS_URL: own.url } });
    expect(processesOf(folder).filter(({ command }) => command.includes("redis-server"))).toEqual([]);
    expect(stack.output()).toContain("yours, by VENUE_REDIS_URL");
    expect(stack.output()).not.toContain("hunter2");
    stack.process.kill("SIGINT");
    await stack.exited;
    await own.stop();
  });

  it("does not start on a Redis that may drop keys, and says which", async () => {
    const own = await startRedisServer({ folder: await temporaryFolder(), fsync: "no" });
    const redis = new Redis(own.url);
    await redis.config("SET", "maxmemory-policy", "allkeys-lru");
    redis.disconnect();
    const stack = await launchStack({ folder: await temporaryFolder(), environment: { VENUE_REDIS_URL: own.url } });
    expect(await stack.exited).toBe(1);
    expect(stack.output().trim()).toMatch(/^VENUE_REDIS_URL: this Redis may drop keys .*allkeys-lru.*noeviction\.$/);
    await own.stop();
  });

  it("does not start a venue on a Redis that forgets what it acknowledged, and says what is missing", async () => {
    const own = await startRedisServer({ folder: await temporaryFolder(), fsync: "no" });
    const stack = await launchStack({ folder: await temporaryFolder(), environment: { VENUE_REDIS_URL: own.url } });
    expect(await stack.exited).toBe(1);
    expect(stack.output()).toMatch(
      /^VENUE_REDIS_URL: The venue's Redis has appendonly no and needs yes: .* SLUICE_UNSAFE_STORE=1/m,
    );
    expect(stack.output()).not.toContain("origin");
    await own.stop();
  });

  it("gives up at once, in its own words, where the engine will not trade on what it finds", async () => {
    const own = await startRedisServer({ folder: await temporaryFolder(), fsync: "always" });
    const redis = new Redis(own.url);
    await redis.set(RESTORING_KEY, "1");
    redis.disconnect();
    const stack = await launchStack({ folder: await temporaryFolder(), environment: { VENUE_REDIS_URL: own.url } });
    expect(await stack.exited).toBe(1);
    expect(stack.output()).toMatch(
      /origin refuses to serve\. A restore of the venue's Redis is under way or was interrupted/,
    );
    await own.stop();
  });

  it("prints the venue's metrics to a monitor at a port of its own, without an account", async () => {
    const port = await freePort();
    const stack = await startStack({
      folder: await temporaryFolder(),
      environment: { SLUICE_METRICS_PORT: String(port) },
    });
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    for (const name of [
      "sluice_venue_redis_up 1",
      "sluice_venue_disk_free_bytes",
      "sluice_process_stalls_total",
      "sluice_venue_backlog_entries",
    ])
      expect(text).toMatch(new RegExp(`^${name}`, "m"));
    expect([
      await statusOf(`http://127.0.0.1:${port}/health`),
      await statusOf(`http://127.0.0.1:${port}/api/v1/orders`),
    ]).toEqual([200, 404]);
    stack.process.kill("SIGINT");
    expect(await stack.exited).toBe(0);
  });

  it("reaches a store that speaks the Upstash protocol without a bridge of its own", async () => {
    const own = await startRedisServer({ folder: await temporaryFolder(), fsync: "no" });
    const bridge = await startTestBridge({ redisUrls: [own.url] });
    const folder = await temporaryFolder();
    const environment = { UPSTASH_REDIS_REST_URL: bridge.url, UPSTASH_REDIS_REST_TOKEN: FULL_TOKEN };
    const stack = await startStack({ folder, environment });
    expect(processesOf(folder).filter(({ command }) => /bridge\/main|line-redis/.test(command))).toEqual([]);
    expect((await fetch(`${stack.url}/_sluice/health`)).status).toBe(200);
    stack.process.kill("SIGINT");
    expect(await stack.exited).toBe(0);
    await bridge.stop();
    await own.stop();
  });
});
