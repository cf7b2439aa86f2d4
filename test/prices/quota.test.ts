import { Redis } from "ioredis";
import { afterAll, describe, expect, it } from "vitest";
import { borrowRedis } from "../../kit/borrowed-servers.ts";
import { openQuota, QUOTA_WINDOW_MS } from "../../origin/prices/quota/quota.ts";

const server = await borrowRedis({ fsync: "no" });
const connections = Array.from({ length: 10 }, () => new Redis(server.url));
afterAll(() => {
  for (const redis of connections) redis.disconnect();
});
const [redis] = connections as [Redis];
const quota = openQuota(redis);

describe("the quota of fresh requests", () => {
  it("grants exactly 20 of 1,000 concurrent requests over ten connections", async () => {
    const quotas = connections.map((connection) => openQuota(connection));
    const taken = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => quotas[index % quotas.length]?.take("user:crowd", "usd_sell")),
    );
    expect(taken.filter((state) => state?.isGranted)).toHaveLength(20);
    const state = await quota.read("user:crowd");
    expect(state).toMatchObject({ limit: 20, used: 20, remaining: 0 });
    expect(state.retryAfterSeconds).toBe(state.secondsToNextWindow);
    expect(await quota.requestsOf("user:crowd")).toHaveLength(20);
  });

  it("counts each user and address apart, and reading takes nothing", async () => {
    expect((await quota.take("address:one", "btc")).remaining).toBe(19);
    for (let count = 0; count < 5; count++) expect((await quota.read("address:one")).used).toBe(1);
    expect((await quota.read("address:two")).remaining).toBe(20);
    expect(await quota.read("address:one")).toMatchObject({ retryAfterSeconds: 0 });
  });

  it("begins again with the next window, and leaves nothing in Redis for long", async () => {
    const short = openQuota(redis, { limit: 2, windowMs: 200 });
    const windowOf = async () => (await short.read("user:short")).windowEndsAt;
    const first = await windowOf();
    while ((await windowOf()) === first);
    const granted = [];
    for (let count = 0; count < 4; count++) granted.push((await short.take("user:short", "btc")).isGranted);
    const second = await windowOf();
    while ((await windowOf()) === second);
    expect((await short.take("user:short", "btc")).isGranted).toBe(true);
    expect(granted.filter(Boolean).length).toBeGreaterThanOrEqual(2);
    expect(await redis.pttl("v1:{prices}:quota:user:crowd")).toBeLessThanOrEqual(QUOTA_WINDOW_MS + 3_600_000);
    expect(await redis.pttl("v1:{prices}:quota:user:crowd")).toBeGreaterThan(0);
  });

  it("shows admins the busiest of the window", async () => {
    await redis.flushall();
    for (let count = 0; count < 3; count++) await quota.take("user:a", "btc");
    await quota.take("address:b", "eth");
    expect(await quota.usage(10)).toEqual({
      identities: 2,
      busiest: [
        { identity: "user:a", used: 3 },
        { identity: "address:b", used: 1 },
      ],
    });
  });
});
