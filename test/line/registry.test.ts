import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLine } from "../../edge/line/line.ts";
import { openRegistry } from "../../edge/line/registry.ts";
import { queueSettingsSchema } from "../../edge/line/settings.ts";
import { borrowRedisCluster } from "../../kit/borrowed-servers.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { PASS_LIFETIME_SECONDS_MAX } from "../../shared/tokens/admission.ts";

let cluster: Awaited<ReturnType<typeof borrowRedisCluster>>;
let redis: InstanceType<typeof Redis.Cluster>;

beforeAll(async () => {
  cluster = await borrowRedisCluster();
  redis = new Redis.Cluster([...cluster.nodes]);
});

afterAll(async () => {
  redis.disconnect();
});

const settings = queueSettingsSchema.parse({ name: "Launch", maxActive: 5, admissionRate: 2.5 });

describe("the registry on a cluster", () => {
  it("keeps a queue's settings, and refuses to overwrite an unseen version", async () => {
    const registry = openRegistry(scriptRunner(redis));
    expect(await registry.readQueue("launch")).toBeUndefined();
    expect(await registry.writeQueue("launch", settings, 0)).toBe(1);
    expect(await registry.writeQueue("launch", settings, 0)).toBeUndefined();
    expect(await registry.writeQueue("launch", { ...settings, maxActive: 9 }, 1)).toBe(2);
    expect(await registry.readQueue("launch")).toEqual({
      settings: { ...settings, maxActive: 9 },
      version: 2,
      waiting: 0,
      active: 0,
      admissionsPerSecond: 0,
      freedPerSecond: 0,
      presentShare: 1,
      stillMs: expect.any(Number),
      readAtMs: expect.any(Number),
      draws: [],
    });
  });

  it("deletes a queue with people in it only when forced", async () => {
    const registry = openRegistry(scriptRunner(redis));
    await registry.writeQueue("busy", settings, 0);
    await redis.zadd("queue:{busy}:waiting", 1, "somebody");
    expect(await registry.deleteQueue("busy", { force: false })).toBe("occupied");
    expect((await registry.readDirectory()).queueIds).toContain("busy");
    expect(await registry.deleteQueue("busy", { force: true })).toBe("deleted");
    expect((await registry.readDirectory()).queueIds).not.toContain("busy");
    expect(await registry.deleteQueue("busy", { force: true })).toBe("none");
    expect(await redis.exists("queue:{busy}:waiting")).toBe(0);
  });

  it("keeps revocations of a deleted queue for as long as a pass can live, also in the next queue of its name", async () => {
    const registry = openRegistry(scriptRunner(redis));
    const line = openLine({ store: scriptRunner(redis), queueId: "again", ticketLifeMs: 60_000, random: () => 0.5 });
    await registry.writeQueue("again", settings, 0);
    await line.end({ sessionId: "first", reason: "revoked" });
    expect(await registry.deleteQueue("again", { force: true })).toBe("deleted");
    const remainingMs = await redis.pttl("queue:{again}:revoked");
    expect(remainingMs).toBeGreaterThan(PASS_LIFETIME_SECONDS_MAX * 1_000);
    expect(remainingMs).toBeLessThan(PASS_LIFETIME_SECONDS_MAX * 1_100);
    await registry.writeQueue("again", settings, 0);
    await line.end({ sessionId: "second", reason: "revoked" });
    expect(await redis.zrange("queue:{again}:revoked", "0", "-1")).toEqual(["first", "second"]);
    expect(await redis.pttl("queue:{again}:revoked")).toBe(-1);
  });

  it("keeps the routes as written, and distinguishes an empty table from none", async () => {
    const registry = openRegistry(scriptRunner(redis));
    expect(await registry.readDirectory()).toMatchObject({ routes: [], hasTable: false });
    const routes = [{ host: "*", path: "/demo/*", queueId: "demo" }];
    await registry.writeRoutes(routes);
    expect((await registry.readDirectory()).routes).toEqual(routes);
    await registry.writeRoutes([]);
    expect(await registry.readDirectory()).toMatchObject({ routes: [], hasTable: true });
  });
});
