import { beforeEach, describe, expect, it } from "vitest";
import { guardStore } from "../../edge/admit/outage/outage.ts";
import { createRevocations } from "../../edge/admit/sessions/revocations.ts";
import { sweepQueues } from "../../edge/admit/sweep-queues.ts";
import { openLine } from "../../edge/line/line.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { createStoreClock } from "../../shared/clock.ts";
import { newId, systemRandom } from "../../shared/ids.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, until } from "./visitor.ts";

const stack = await startGateStack();
const { origin, url, redis } = stack;
const clock = { nowMs: () => Date.now() };
const guarded = guardStore(scriptRunner(redis), clock);

beforeEach(() => origin.reset());

describe("the sweep of all queues", () => {
  it("returns slots and drops visitors without any polls, and one broken queue does not delay the others", async () => {
    await stack.setQueue("swept", { maxActive: 1, sessionTtlSeconds: 600 });
    await stack.setQueue("swept-broken", { maxActive: 1 });
    await createVisitor(url).get("/swept/");
    await createVisitor(url).get("/swept/");
    expect(await redis.zcard("queue:{swept}:waiting")).toBe(1);
    const [session = ""] = await redis.zrange("queue:{swept}:active", "0", "-1");
    await redis.zadd("queue:{swept}:active", Date.now() - 1, session);
    const [waiting = ""] = await redis.zrange("queue:{swept}:waiting", "0", "-1");
    await redis.zadd("queue:{swept}:beats", Date.now() - 1, waiting);
    await redis.set("queue:{swept-broken}:waiting", "of the wrong type");
    await sweepQueues({ store: guarded, fillRandom: systemRandom });
    const left = ["waiting", "beats", "active", "ready"].map((part) => redis.zcard(`queue:{swept}:${part}`));
    expect(await Promise.all(left)).toEqual([0, 0, 0, 0]);
  });
});

describe("the memory of revocations", () => {
  it("is bounded, and a pass that it may have forgotten is asked for", async () => {
    const queueId = "many" as QueueId;
    const nowMs = Date.now();
    const revoked = Array.from({ length: 5_000 }, () => newId(systemRandom));
    const [oldest = "", ...rest] = revoked;
    await redis.zadd("queue:{many}:revoked", ...[oldest, ...rest].flatMap((id, index) => [nowMs - 60_000 + index, id]));
    for (const id of revoked) await redis.set(`revocation:{many}:${id}`, "revoked", "PX", 60_000);
    const options = { queueId, store: guarded, ownClock: clock, storeClock: createStoreClock(clock), idsMax: 100 };
    const { isRevoked } = createRevocations(options);
    const issuedAtSeconds = Math.floor(nowMs / 1000) - 120;
    const check = { mode: "fast", later: () => {}, store: guarded.once } as const;
    const passOf = (sessionId: string) => ({
      queueId,
      sessionId,
      jti: newId(systemRandom),
      issuedAtSeconds,
      expiresAtSeconds: issuedAtSeconds + 3_600,
    });
    for (const id of [oldest, revoked[2_500] ?? "", revoked[4_999] ?? ""])
      expect(await isRevoked(passOf(id), check)).toBe(true);
    expect(await isRevoked(passOf(newId(systemRandom)), check)).toBe(false);
  });

  it("reports what the sweep removed from the feed, so that no revoked pass comes back when sessions get shorter", async () => {
    await stack.setQueue("shortened", { sessionTtlSeconds: 86_400 });
    const queueId = "shortened" as QueueId;
    const nowMs = Date.now();
    const lineAt = (ms: number) => {
      const simulatedNowMs = () => ms;
      return openLine({ store: guarded.once, queueId, ticketLifeMs: 60_000, random: () => 0.5, simulatedNowMs });
    };
    const [ended, running] = [newId(systemRandom), newId(systemRandom)];
    await lineAt(nowMs - 7_200_000).end({ sessionId: ended, reason: "revoked" });
    await stack.setQueue("shortened", { sessionTtlSeconds: 60 });
    for (let sweeps = 0; sweeps < 2; sweeps++) await lineAt(nowMs).sweep();
    expect(await redis.zscore("queue:{shortened}:revoked", ended)).toBeNull();
    const { isRevoked } = createRevocations({
      queueId,
      store: guarded,
      ownClock: clock,
      storeClock: createStoreClock(clock),
    });
    const issuedAtSeconds = Math.floor(nowMs / 1000) - 10_800;
    const check = { mode: "fast", later: () => {}, store: guarded.once } as const;
    const pass = { queueId, jti: newId(systemRandom), issuedAtSeconds, expiresAtSeconds: issuedAtSeconds + 86_400 };
    expect(await isRevoked({ ...pass, sessionId: ended }, check)).toBe(true);
    expect(await isRevoked({ ...pass, sessionId: running, jti: newId(systemRandom) }, check)).toBe(false);
  });
});

describe("a store that is killed and comes back empty", () => {
  it("keeps admitted visitors, and gives waiting ones their old places by their tickets", async () => {
    await stack.setQueue("lost-store", { maxActive: 1 });
    const [inside, first, second] = [createVisitor(url), createVisitor(url), createVisitor(url)];
    for (const visitor of [inside, first, second]) await visitor.get("/lost-store/", JSON_PLEASE);
    const settings = await stack.registry.readQueue("lost-store");
    await stack.redisServer.stop();
    expect((await inside.get("/lost-store/in", JSON_PLEASE)).json["url"]).toBe("/lost-store/in");
    expect((await first.get("/lost-store/", JSON_PLEASE)).tookMs).toBeLessThan(1_000);
    const again = await startRedisServer({
      folder: await temporaryFolder(),
      fsync: "no",
      port: stack.redisServer.port,
    });
    try {
      await until(async () =>
        redis.ping().then(
          () => true,
          () => false,
        ),
      );
      if (settings === undefined) throw new Error("the queue was there");
      await stack.registry.writeQueue("lost-store", { ...settings.settings, mode: "paused" }, 0);
      await stack.registry.writeRoutes([{ host: "*", path: "/lost-store/*", queueId: "lost-store" }]);
      await until(async () => (await second.get("/lost-store/", JSON_PLEASE)).json["state"] === "waiting", {
        withinMs: 10_000,
      });
      const ahead = await first.get("/lost-store/", JSON_PLEASE);
      expect([ahead.json["state"], ahead.json["position"]]).toEqual(["waiting", 1]);
      expect((await inside.get("/lost-store/in", JSON_PLEASE)).json["url"]).toBe("/lost-store/in");
    } finally {
      await again.stop();
    }
  });
});
