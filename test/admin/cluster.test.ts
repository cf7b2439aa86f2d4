import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queueKeys } from "../../edge/line/keys.ts";
import { openRegistry } from "../../edge/line/registry.ts";
import { queueSettingsSchema } from "../../edge/line/settings.ts";
import { openAuditLog, readAuditLog } from "../../edge/operators/admin/audit/audit-log.ts";
import { openRouteTable } from "../../edge/operators/admin/routes/route-table.ts";
import { listSessionsScript } from "../../edge/operators/admin/scripts.ts";
import { readStats } from "../../edge/operators/stats/read-stats.ts";
import { borrowRedisCluster } from "../../kit/borrowed-servers.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { newSessionId, SETTINGS } from "./admin-gate.ts";

let cluster: Awaited<ReturnType<typeof borrowRedisCluster>>;
let redis: InstanceType<typeof Redis.Cluster>;

beforeAll(async () => {
  cluster = await borrowRedisCluster();
  redis = new Redis.Cluster([...cluster.nodes]);
  const registry = openRegistry(scriptRunner(redis));
  for (const id of ["one", "two", "three"]) await registry.writeQueue(id, queueSettingsSchema.parse(SETTINGS), 0);
});

afterAll(async () => {
  redis.disconnect();
});

describe("the operator's scripts on a cluster", () => {
  it("replace the routes only from what was seen and only to queues that are there", async () => {
    const table = openRouteTable(scriptRunner(redis));
    const [one, two] = [
      { host: "*", path: "/1", queueId: "one" },
      { host: "*", path: "/2", queueId: "two" },
    ];
    const bypass = [{ host: "*", path: "/1/health" }];
    const entry = { text: "{}", keep: 10 };
    const before = await table.read();
    expect(
      await table.replace({ routes: [one, two], bypass }, { seen: before.version, entry, queueIds: ["one", "two"] }),
    ).toMatchObject({
      outcome: "replaced",
    });
    expect(await table.replace({ routes: [one], bypass }, { seen: before.version, entry, queueIds: ["one"] })).toEqual({
      outcome: "conflict",
    });
    const { version: seen } = await table.read();
    const toFour = { routes: [{ ...one, queueId: "four" }], bypass };
    expect(await table.replace(toFour, { seen, entry, queueIds: ["four"] })).toEqual({
      outcome: "unknown",
      queueIds: ["four"],
    });
    await table.dropQueue("one");
    expect(await table.read()).toMatchObject({ routes: [two], bypass });
  });

  it("log the operators' changes, and count a queue's numbers", async () => {
    const store = scriptRunner(redis);
    const intention = await openAuditLog({ store, endStore: store }, { actor: "alice", requestId: "r1" }).begin({
      action: "queue.change",
      queueId: "one",
      before: { maxActive: 1 },
      after: { maxActive: 2 },
    });
    await intention.done();
    const { entries } = await readAuditLog(store, { before: "", limit: 1, queueId: "one" });
    expect(JSON.parse(entries[0]?.text ?? "")).toMatchObject({
      actor: "alice",
      queueId: "one",
      after: { maxActive: 2 },
    });
    expect(await readStats(store, "two", "all")).toMatchObject({ mode: "active", waiting: 0 });
  });

  it.each(["one", "two", "three"])("list the sessions of a queue in whatever slot: %s", async (queueId) => {
    const { meta, active, ready } = queueKeys(queueId);
    const [id, endsAt] = [newSessionId(), Date.now() + 60_000];
    await redis.zadd(active, endsAt, id);
    const call = { keys: { meta, active, ready }, args: { limit: 10, lastEndMs: -1, lastId: "" } };
    expect(await listSessionsScript.run(scriptRunner(redis), call)).toEqual({ hasMore: false, flat: [id, endsAt, 0] });
  });
});
