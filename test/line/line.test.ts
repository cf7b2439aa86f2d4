import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queueKeys, usedKey } from "../../edge/line/keys.ts";
import { type Line, openLine } from "../../edge/line/line.ts";
import { borrowRedis, borrowRedisCluster, type TestServer } from "../../kit/borrowed-servers.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";

const START_MS = 1_750_000_000_000;

let server: TestServer;
let cluster: Awaited<ReturnType<typeof borrowRedisCluster>>;
let single: Redis;
let clustered: InstanceType<typeof Redis.Cluster>;

beforeAll(async () => {
  server = await borrowRedis({ fsync: "no" });
  cluster = await borrowRedisCluster();
  single = new Redis(server.url);
  clustered = new Redis.Cluster([...cluster.nodes]);
});

afterAll(async () => {
  single.disconnect();
  clustered.disconnect();
});

type Settings = {
  maxActive?: number;
  rate?: number;
  burst?: number;
  mode?: string;
  maxQueueSize?: number;
  claimSeconds?: number;
  sessionTtlSeconds?: number;
  idleSeconds?: number;
};

let queueCount = 0;

describe.each([
  ["a single server", () => single],
  ["a cluster of three", () => clustered],
] as const)("the line on %s", (_name, redis) => {
  let nowMs = START_MS;
  let queueId = "";

  async function openQueue(settings: Settings = {}): Promise<Line> {
    nowMs = START_MS;
    queueId = `queue-${queueCount++}`;
    await configure(settings);
    return openLine({
      store: scriptRunner(redis()),
      queueId,
      ticketLifeMs: 3_600_000,
      random: () => 0.5,
      simulatedNowMs: () => nowMs,
    });
  }

  async function configure(settings: Settings): Promise<void> {
    const {
      maxActive = 10,
      rate = 10,
      burst = 10,
      mode = "active",
      maxQueueSize = 1_000,
      claimSeconds = 20,
      sessionTtlSeconds = 600,
      idleSeconds = 0,
    } = settings;
    await redis().hset(queueKeys(queueId).meta, {
      mode,
      max_active: maxActive,
      admission_rate: rate,
      admission_burst: burst,
      session_ttl_seconds: sessionTtlSeconds,
      claim_seconds: claimSeconds,
      idle_seconds: idleSeconds,
      heartbeat_ttl_seconds: 60,
      max_queue_size: maxQueueSize,
    });
  }

  const enter = (line: Line, ticketId: string, lane = 0) =>
    line.enter({ ticketId, lane, addressHash: "a", ticketsPerIp: 0 });

  /** Joins and returns the order that the ticket would carry. */
  async function join(line: Line, ticketId: string, lane = 0): Promise<number> {
    const answer = await enter(line, ticketId, lane);
    expect(answer).toMatchObject({ state: "waiting" });
    return answer.state === "waiting" ? answer.order : -1;
  }

  it("lets the first ones straight in, up to the cap, and keeps the next waiting", async () => {
    const line = await openQueue({ maxActive: 2 });
    expect(await enter(line, "a")).toEqual({
      state: "admitted",
      expiresAtMs: START_MS + 20_000,
      isNew: true,
      holdMs: 0,
    });
    expect(await enter(line, "b")).toMatchObject({ state: "admitted" });
    expect(await enter(line, "c")).toMatchObject({ state: "waiting", position: 1, total: 1 });
    expect(await redis().zcard(queueKeys(queueId).active)).toBe(2);
  });

  it("lets in no more than the burst at once and the rate after that", async () => {
    const line = await openQueue({ maxActive: 100, rate: 2, burst: 3 });
    const answers = [];
    for (const ticket of ["a", "b", "c"]) answers.push((await enter(line, ticket)).state);
    expect(answers).toEqual(["admitted", "admitted", "admitted"]);
    const order = await join(line, "d");
    nowMs += 499;
    expect(await line.beat({ ticketId: "d", order })).toMatchObject({ state: "waiting" });
    nowMs += 1;
    expect(await line.beat({ ticketId: "d", order })).toMatchObject({ state: "admitted" });
  });

  it("answers a repeated join, poll, claim and leave as the first one, and changes nothing", async () => {
    const line = await openQueue({ maxActive: 1 });
    const first = await enter(line, "a");
    expect(await enter(line, "a")).toEqual({ ...first, isNew: false });
    const order = await join(line, "b");
    expect(await enter(line, "b")).toMatchObject({ state: "waiting", position: 1, total: 1, order });
    expect(await line.leave({ ticketId: "b" })).toMatchObject({ state: "ended", reason: "left" });
    expect(await line.leave({ ticketId: "b" })).toMatchObject({ state: "ended", reason: "left" });
    expect(await line.beat({ ticketId: "b", order })).toEqual({ state: "ended", reason: "left" });
    expect(await redis().zcard(queueKeys(queueId).waiting)).toBe(0);
  });

  it("promotes in strict order on any visitor's poll, and reserves the slot until it is claimed", async () => {
    const line = await openQueue({ maxActive: 1 });
    await enter(line, "a");
    const orderB = await join(line, "b");
    const orderC = await join(line, "c");
    await line.end({ sessionId: "a", reason: "completed" });
    expect(await line.beat({ ticketId: "c", order: orderC })).toMatchObject({
      state: "waiting",
      position: 2,
      total: 2,
    });
    expect(await line.beat({ ticketId: "b", order: orderB })).toMatchObject({ state: "admitted" });
    expect(await line.beat({ ticketId: "c", order: orderC })).toMatchObject({
      state: "waiting",
      position: 1,
      total: 1,
    });
  });

  it("gives an unclaimed slot to the next visitor, and a late one the first place", async () => {
    const line = await openQueue({ maxActive: 1, claimSeconds: 5 });
    await enter(line, "a");
    const orderB = await join(line, "b");
    const orderC = await join(line, "c");
    await line.end({ sessionId: "a", reason: "completed" });
    nowMs += 5_000;
    expect(await line.beat({ ticketId: "c", order: orderC })).toMatchObject({ state: "admitted" });
    expect(await line.beat({ ticketId: "b", order: orderB })).toMatchObject({ state: "waiting", position: 1 });
  });

  it("skips a visitor who stops polling, and restores the place on return", async () => {
    const line = await openQueue({ maxActive: 1 });
    await enter(line, "a");
    const orderB = await join(line, "b");
    const orderC = await join(line, "c");
    nowMs += 30_000;
    await line.beat({ ticketId: "c", order: orderC });
    await line.end({ sessionId: "a", reason: "completed" });
    expect(await line.beat({ ticketId: "c", order: orderC })).toMatchObject({ state: "admitted" });
    expect(await redis().zcard(queueKeys(queueId).waiting)).toBe(0);
    const orderD = await join(line, "d");
    expect(await line.beat({ ticketId: "b", order: orderB })).toMatchObject({
      state: "waiting",
      position: 1,
      total: 2,
    });
    expect(await line.beat({ ticketId: "d", order: orderD })).toMatchObject({ position: 2 });
  });

  it("serves higher lanes first and each lane in order of arrival", async () => {
    const line = await openQueue({ maxActive: 1 });
    await enter(line, "first");
    const orders = new Map<string, number>();
    for (const [ticket, lane] of [
      ["n1", 0],
      ["v1", 2],
      ["n2", 0],
      ["p1", 3],
      ["v2", 2],
      ["e1", 1],
    ] as const)
      orders.set(ticket, await join(line, ticket, lane));
    const served: string[] = [];
    await line.end({ sessionId: "first", reason: "completed" });
    for (let turn = 0; turn < 6; turn++) {
      for (const [ticket, order] of orders) {
        const answer = await line.beat({ ticketId: ticket, order });
        if (answer.state === "admitted" && answer.isNew) served.push(ticket);
      }
      const last = served.at(-1);
      if (last !== undefined) await line.end({ sessionId: last, reason: "completed" });
    }
    expect(served).toEqual(["p1", "v1", "v2", "e1", "n1", "n2"]);
  });

  it("frees a session's slot when its time is over, and its ticket cannot come back", async () => {
    const line = await openQueue({ maxActive: 1, sessionTtlSeconds: 60 });
    await enter(line, "a");
    const orderB = await join(line, "b");
    nowMs += 60_000;
    expect(await line.beat({ ticketId: "b", order: orderB })).toMatchObject({ state: "admitted" });
    expect(await enter(line, "a")).toEqual({ state: "ended", reason: "expired" });
  });

  it("knows a used ticket for as long as it can come back, also one from when places were kept for longer", async () => {
    const line = await openQueue({ maxActive: 1 });
    await enter(line, "a");
    const [order, leftMs] = [await join(line, "b"), 43_200_000];
    await line.end({ sessionId: "a", reason: "completed" });
    expect(await line.beat({ ticketId: "b", ticketLeftMs: leftMs, order })).toMatchObject({ state: "admitted" });
    const knownForMs = () => redis().pttl(usedKey(queueId, "b"));
    expect(await knownForMs()).toBeGreaterThan(leftMs - 60_000);
    await line.end({ sessionId: "b", reason: "completed" });
    expect(await knownForMs()).toBeGreaterThan(leftMs - 60_000);
  });

  it("holds a new slot for the claim window, never for less than 10 s, and for the whole session once its pass has come back", async () => {
    const line = await openQueue({ claimSeconds: 2, sessionTtlSeconds: 60 });
    nowMs = Date.now();
    const startMs = nowMs;
    expect(await enter(line, "a")).toMatchObject({ expiresAtMs: nowMs + 10_000 });
    await enter(line, "b");
    nowMs += 9_999;
    expect(await line.beat({ ticketId: "a", order: 0 })).toMatchObject({
      state: "admitted",
      isNew: false,
      expiresAtMs: startMs + 10_000,
    });
    expect(await line.touch({ sessionId: "a", views: 1, how: "note", isFirst: true })).toBe(nowMs + 60_000);
    nowMs += 1;
    expect(await line.touch({ sessionId: "b", views: 1, how: "note", isFirst: true })).toBe(0);
    // The first pass may come back more than once; it claims the session once.
    expect(await line.touch({ sessionId: "a", views: 1, how: "note", isFirst: true })).toBe(nowMs - 1 + 60_000);
    expect(await line.touch({ sessionId: "a", views: 1, how: "look" })).toBe(nowMs - 1 + 60_000);
  });

  it("ends a slot idleSeconds after the last noted request, and never later than the session", async () => {
    const line = await openQueue({ sessionTtlSeconds: 100, idleSeconds: 30, claimSeconds: 60 });
    nowMs = Date.now();
    expect(await enter(line, "a")).toMatchObject({ expiresAtMs: nowMs + 30_000 });
    const ends = nowMs + 100_000;
    for (let request = 0; request < 4; request++) {
      expect(await line.touch({ sessionId: "a", views: 1, how: "note", isFirst: request === 0 })).toBe(
        Math.min(nowMs + 30_000, ends),
      );
      nowMs += 25_000;
    }
    expect(await line.touch({ sessionId: "a", views: 1, how: "note" })).toBe(0);
    await enter(line, "b");
    expect(await line.touch({ sessionId: "b", views: 1, how: "renew", isFirst: true })).toBe(nowMs + 30_000);
    nowMs += 30_000;
    expect(await line.touch({ sessionId: "b", views: 1, how: "renew" })).toBe(0);
  });

  it("never shortens a slot for which a pass is out, also when idleSeconds is switched on", async () => {
    const line = await openQueue({ sessionTtlSeconds: 600 });
    await enter(line, "a");
    const end = await line.touch({ sessionId: "a", views: 1, how: "renew", isFirst: true });
    await configure({ sessionTtlSeconds: 600, idleSeconds: 30 });
    expect(await line.touch({ sessionId: "a", views: 1, how: "renew" })).toBe(end);
  });

  it("renews a session in use, but never one that is over or only reserved", async () => {
    const line = await openQueue({ maxActive: 1, sessionTtlSeconds: 60 });
    await enter(line, "a");
    await join(line, "b");
    nowMs += 15_000;
    expect(await line.touch({ sessionId: "a", views: 3, how: "renew" })).toBe(nowMs + 60_000);
    expect(await line.touch({ sessionId: "a", views: 1, how: "note" })).toBe(nowMs + 60_000);
    nowMs += 60_000;
    expect(await line.touch({ sessionId: "a", views: 1, how: "renew" })).toBe(0);
    expect(await line.touch({ sessionId: "b", views: 1, how: "renew" })).toBe(0);
  });

  it("paces visitors with different entry times who come together", async () => {
    const line = await openQueue({ maxActive: 100, rate: 1, burst: 1, claimSeconds: 20 });
    await enter(line, "first");
    const orders = [];
    for (const ticket of ["a", "b", "c"]) orders.push({ ticketId: ticket, order: await join(line, ticket) });
    const tail = { ticketId: "tail", order: await join(line, "tail") };
    for (let second = 0; second < 3; second++) {
      nowMs += 1_000;
      await line.beat(tail);
    }
    const states = [];
    for (const visitor of orders) states.push((await line.beat(visitor)).state);
    expect(states).toEqual(["admitted", "waiting", "waiting"]);
  });

  it("stops when paused, takes no newcomers while draining, and says when the line is full", async () => {
    const line = await openQueue({ mode: "paused" });
    const order = await join(line, "a");
    await configure({ mode: "drain" });
    expect(await enter(line, "b")).toEqual({ state: "refused", reason: "closed" });
    expect(await line.beat({ ticketId: "a", order })).toMatchObject({ state: "admitted" });
    await configure({ mode: "paused", maxQueueSize: 1 });
    await join(line, "c");
    expect(await enter(line, "d")).toEqual({ state: "refused", reason: "full" });
  });

  it("ends no session when the cap is lowered, and admits no visitor until it holds", async () => {
    const line = await openQueue({ maxActive: 3 });
    for (const ticket of ["a", "b", "c"]) await enter(line, ticket);
    await configure({ maxActive: 1 });
    const order = await join(line, "d");
    expect(await redis().zcard(queueKeys(queueId).active)).toBe(3);
    for (const sessionId of ["a", "b"]) await line.end({ sessionId, reason: "completed" });
    expect(await line.beat({ ticketId: "d", order })).toMatchObject({ state: "waiting" });
    await line.end({ sessionId: "c", reason: "completed" });
    expect(await line.beat({ ticketId: "d", order })).toMatchObject({ state: "admitted" });
  });

  it("limits places per address only where configured", async () => {
    const line = await openQueue({ mode: "paused" });
    const from = (ticketId: string, ticketsPerIp: number) =>
      line.enter({ ticketId, lane: 0, addressHash: "office", ticketsPerIp });
    expect(await from("a", 1)).toMatchObject({ state: "waiting" });
    expect(await from("b", 1)).toEqual({ state: "refused", reason: "address_limit" });
    expect(await from("a", 1)).toMatchObject({ state: "waiting" });
    expect(await from("c", 0)).toMatchObject({ state: "waiting" });
  });

  it("knows no queue that was not configured, and writes nothing for it", async () => {
    const line = openLine({ store: scriptRunner(redis()), queueId: "nowhere", ticketLifeMs: 1_000, random: () => 0 });
    expect(await enter(line, "a")).toEqual({ state: "none" });
    expect(await line.beat({ ticketId: "a", order: 1 })).toEqual({ state: "none" });
    expect(await redis().exists(queueKeys("nowhere").bucket)).toBe(0);
  });

  it("skips 100,000 absent visitors within a bounded number of sweeps", async () => {
    const line = await openQueue({ maxActive: 1, maxQueueSize: 1_000_000 });
    const keys = queueKeys(queueId);
    await enter(line, "a");
    const dead = Array.from({ length: 100_000 }, (_, index) => index + 10);
    for (let from = 0; from < dead.length; from += 10_000) {
      const chunk = dead.slice(from, from + 10_000);
      await redis().zadd(keys.waiting, ...chunk.flatMap((index) => [3 * 2 ** 50 + index, `dead-${index}`]));
      await redis().zadd(keys.beats, ...chunk.flatMap((index) => [nowMs - 1, `dead-${index}`]));
    }
    await redis().hset(keys.bucket, "sequence", 200_000);
    const order = await join(line, "alive");
    await line.end({ sessionId: "a", reason: "completed" });
    let sweeps = 0;
    while ((await line.sweep()).hasMore && sweeps < 200) sweeps++;
    expect(sweeps).toBeLessThanOrEqual(101);
    expect(await line.beat({ ticketId: "alive", order })).toMatchObject({ state: "admitted" });
  });
});
