import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inviteKey, personKey, proofKey, queueKeys, usedKey } from "../../edge/line/keys.ts";
import { type InviteUse, type Line, type Newcomer, openLine } from "../../edge/line/line.ts";
import { laneOf } from "../../edge/line/order.ts";
import { queueSettingsSchema, toMeta } from "../../edge/line/settings.ts";
import { borrowRedis, borrowRedisCluster, type TestServer } from "../../kit/borrowed-servers.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";

const START_MS = 1_750_000_000_000;
const LIFE_MS = 3_600_000;
const DAY_MS = 86_400_000;

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

let queueCount = 0;

describe.each([
  ["a single server", () => single],
  ["a cluster of three", () => clustered],
] as const)("a join on %s", (_name, redis) => {
  let nowMs = START_MS;
  let queueId = "";

  /** Paused unless told otherwise: places are then all that there is. */
  async function openQueue(settings: Readonly<Record<string, unknown>> = { mode: "paused" }): Promise<Line> {
    nowMs = START_MS;
    queueId = `door-${queueCount++}`;
    const whole = queueSettingsSchema.parse({
      name: "Door",
      maxActive: 1,
      admissionRate: 10,
      admissionBurst: 10,
      ...settings,
    });
    await redis().hset(queueKeys(queueId).meta, toMeta(whole));
    return openLine({
      store: scriptRunner(redis()),
      queueId,
      ticketLifeMs: LIFE_MS,
      random: () => 0.5,
      simulatedNowMs: () => nowMs,
    });
  }

  const enter = (line: Line, ticketId: string, rest: Partial<Newcomer> = {}) =>
    line.enter({ ticketId, lane: 0, addressHash: "a", ticketsPerIp: 0, ...rest });

  const inviteOf = (inviteId: string, rest: Partial<InviteUse> = {}): InviteUse => {
    return { inviteId, uses: 1, keptUntilMs: Date.now() + DAY_MS, person: undefined, ...rest };
  };

  /** All waiting visitors, the first one first. */
  const line = async () => redis().zrange(queueKeys(queueId).waiting, "0", "-1");

  async function orderOf(answer: Promise<unknown>): Promise<number> {
    const { order } = (await answer) as { order?: number };
    if (order === undefined) throw new Error("there is no place");
    return order;
  }

  describe("with an invite", () => {
    it("takes a place in its lane, behind those of the lane, before those of lower ones", async () => {
      const gate = await openQueue();
      await enter(gate, "a");
      await enter(gate, "vip-1", { lane: 2, invite: inviteOf("i1") });
      await enter(gate, "b");
      const order = await orderOf(enter(gate, "vip-2", { lane: 2, invite: inviteOf("i2") }));
      await enter(gate, "premium", { lane: 3, invite: inviteOf("i3") });
      expect(await line()).toEqual(["premium", "vip-1", "vip-2", "a", "b"]);
      expect(laneOf(order)).toBe(2);
      expect(await redis().pttl(inviteKey(queueId, "i1"))).toBeGreaterThan(DAY_MS - 60_000);
    });

    it("is good for its uses and no more; a refusal changes nothing", async () => {
      const gate = await openQueue();
      const invite = inviteOf("i", { uses: 2 });
      for (const ticketId of ["a", "b"])
        expect(await enter(gate, ticketId, { lane: 1, invite })).toMatchObject({ state: "waiting" });
      expect(await enter(gate, "c", { lane: 1, invite })).toEqual({ state: "refused", reason: "invite_used" });
      expect([await line(), await redis().scard(inviteKey(queueId, "i"))]).toEqual([["a", "b"], 2]);
    });

    it("is used once by one ticket, however often it retries after a lost reply", async () => {
      const gate = await openQueue();
      const invite = inviteOf("i");
      const first = await enter(gate, "a", { lane: 1, invite });
      for (const _again of [1, 2]) expect(await enter(gate, "a", { lane: 1, invite })).toEqual(first);
      await gate.leave({ ticketId: "a" });
      expect(await enter(gate, "a", { lane: 1, invite })).toEqual({ state: "ended", reason: "left" });
      expect(await enter(gate, "b", { lane: 1, invite })).toMatchObject({ reason: "invite_used" });
    });

    it("is refused once it was revoked, and visitors who have a place keep it", async () => {
      const gate = await openQueue();
      const invite = inviteOf("i", { uses: 5 });
      await enter(gate, "a", { lane: 1, invite });
      await redis().sadd(inviteKey(queueId, "i"), "revoked");
      expect(await enter(gate, "b", { lane: 1, invite })).toEqual({ state: "refused", reason: "invite_revoked" });
      expect(await enter(gate, "a", { lane: 1, invite })).toMatchObject({ state: "waiting", position: 1 });
    });

    it("stays unused when the queue is full or closed", async () => {
      const full = await openQueue({ mode: "paused", maxQueueSize: 1 });
      await enter(full, "a");
      expect(await enter(full, "b", { lane: 3, invite: inviteOf("i") })).toMatchObject({ reason: "full" });
      expect(await redis().exists(inviteKey(queueId, "i"))).toBe(0);
      const closed = await openQueue({ mode: "drain" });
      expect(await enter(closed, "b", { lane: 3, invite: inviteOf("i") })).toMatchObject({ reason: "closed" });
      expect(await redis().exists(inviteKey(queueId, "i"))).toBe(0);
    });

    it("walks straight in where there is room", async () => {
      const gate = await openQueue({ mode: "active" });
      expect(await enter(gate, "a", { lane: 1, invite: inviteOf("i") })).toMatchObject({
        state: "admitted",
        isNew: true,
      });
      expect(await redis().smembers(inviteKey(queueId, "i"))).toEqual(["a"]);
    });
  });

  describe("of a visitor who waits already", () => {
    it("moves to a better lane and gives the old place up; an older ticket does not bring it back", async () => {
      const gate = await openQueue();
      const old = await orderOf(enter(gate, "a"));
      await enter(gate, "b");
      await enter(gate, "vip", { lane: 2, invite: inviteOf("v") });
      const order = await orderOf(enter(gate, "b", { lane: 2, invite: inviteOf("i"), heldOrder: old + 1 }));
      expect([await line(), laneOf(order)]).toEqual([["vip", "b", "a"], 2]);
      expect(await gate.beat({ ticketId: "b", order: old + 1 })).toMatchObject({ position: 2, order });
      expect(await line()).toEqual(["vip", "b", "a"]);
    });

    it("moves also after a silence in which the line dropped the ticket, and in a draining queue", async () => {
      const gate = await openQueue();
      const heldOrder = await orderOf(enter(gate, "a"));
      await enter(gate, "b");
      await redis().zrem(queueKeys(queueId).waiting, "a");
      await redis().hset(queueKeys(queueId).meta, "mode", "drain", "max_active", 1);
      await redis().zadd(queueKeys(queueId).active, nowMs + DAY_MS, "inside");
      await enter(gate, "a", { lane: 1, invite: inviteOf("i"), heldOrder });
      expect(await line()).toEqual(["a", "b"]);
    });

    it("keeps an equally good place, and uses nothing", async () => {
      const gate = await openQueue();
      const heldOrder = await orderOf(enter(gate, "a", { lane: 2, invite: inviteOf("v") }));
      for (const lane of [0, 1, 2]) {
        expect(await enter(gate, "a", { lane, invite: inviteOf("i"), heldOrder })).toMatchObject({ order: heldOrder });
      }
      expect(await redis().exists(inviteKey(queueId, "i"))).toBe(0);
    });

    it("stays where it is when the invite is used up", async () => {
      const gate = await openQueue();
      const heldOrder = await orderOf(enter(gate, "a"));
      await enter(gate, "b", { lane: 1, invite: inviteOf("i") });
      expect(await enter(gate, "a", { lane: 1, invite: inviteOf("i"), heldOrder })).toMatchObject({
        reason: "invite_used",
      });
      expect(await line()).toEqual(["b", "a"]);
    });
  });

  describe("of a person", () => {
    const person = "0123456789abcdef012345";

    it("gets the person's existing place, with any invite, and no second one", async () => {
      const gate = await openQueue();
      const order = await orderOf(enter(gate, "phone", { lane: 1, invite: inviteOf("i", { uses: 9, person }) }));
      const known = { state: "person", ticketId: "phone", order, enqueuedAtMs: nowMs };
      expect(await enter(gate, "laptop", { lane: 1, invite: inviteOf("i", { uses: 9, person }) })).toEqual(known);
      expect(await enter(gate, "laptop", { lane: 3, invite: inviteOf("other", { person }) })).toEqual(known);
      expect(await line()).toEqual(["phone"]);
      expect(await redis().scard(inviteKey(queueId, "i"))).toBe(1);
      await redis().sadd(inviteKey(queueId, "other"), "revoked");
      expect(await enter(gate, "laptop", { lane: 3, invite: inviteOf("other", { person }) })).toMatchObject({
        reason: "invite_revoked",
      });
    });

    it("takes another one only when the last is known to be used up, and only while there are uses", async () => {
      const gate = await openQueue();
      const invite = inviteOf("i", { uses: 2, person });
      await enter(gate, "one", { lane: 1, invite });
      await gate.leave({ ticketId: "one", isKeyed: true });
      expect(await enter(gate, "two", { lane: 1, invite })).toMatchObject({ state: "person", ticketId: "one" });
      expect(await enter(gate, "two", { lane: 1, invite: { ...invite, replaced: "one" } })).toMatchObject({
        state: "waiting",
      });
      await gate.leave({ ticketId: "two", isKeyed: true });
      expect(await enter(gate, "three", { lane: 1, invite: { ...invite, replaced: "two" } })).toMatchObject({
        reason: "invite_used",
      });
    });

    it("is remembered no longer than the use of its ticket, so that no place comes back", async () => {
      const gate = await openQueue({ mode: "active" });
      await enter(gate, "in", { lane: 1, invite: inviteOf("i", { person }) });
      await enter(gate, "waits", { lane: 1, invite: inviteOf("j", { person: "f".repeat(22) }) });
      const remembered = async (ticketId: string) => redis().pttl(usedKey(queueId, ticketId));
      const known = await redis().pttl(personKey(queueId, person));
      expect(known).toBeGreaterThan(DAY_MS - 60_000);
      expect(await remembered("in")).toBeGreaterThanOrEqual(known - 60_000);
      await gate.end({ sessionId: "in", reason: "completed" });
      await gate.end({ sessionId: "waits", reason: "revoked" });
      for (const ticketId of ["in", "waits"]) expect(await remembered(ticketId)).toBeGreaterThan(DAY_MS - 60_000);
    });
  });

  describe("with a proof of work", () => {
    const proof = { challengeId: "c", keepMs: 60_000 };

    it("spends it, once for one ticket", async () => {
      const gate = await openQueue();
      const first = await enter(gate, "a", { proof });
      expect(await enter(gate, "a", { proof })).toEqual(first);
      expect(await enter(gate, "b", { proof })).toEqual({ state: "refused", reason: "proof_spent" });
      expect(await enter(gate, "b", { proof: { ...proof, challengeId: "d" } })).toMatchObject({ state: "waiting" });
      expect(await redis().pttl(proofKey(queueId, "c"))).toBeLessThanOrEqual(60_000);
    });

    it("does not spend it on a refusal, and writes nothing where none is needed", async () => {
      const gate = await openQueue({ mode: "paused", maxQueueSize: 1 });
      await enter(gate, "a");
      expect(await enter(gate, "b", { proof })).toMatchObject({ reason: "full" });
      expect(await redis().exists(proofKey(queueId, "c"), proofKey(queueId, "-"))).toBe(0);
    });
  });

  it("is refused by a full line, and by a queue without a line only when there is no room inside", async () => {
    const gate = await openQueue({ mode: "active", maxQueueSize: 0 });
    expect(await enter(gate, "a")).toMatchObject({ state: "admitted" });
    expect(await enter(gate, "b")).toEqual({ state: "refused", reason: "full" });
    await gate.end({ sessionId: "a", reason: "completed" });
    expect(await enter(gate, "c")).toMatchObject({ state: "admitted" });
    await redis().hset(queueKeys(queueId).meta, "mode", "paused");
    await gate.end({ sessionId: "c", reason: "completed" });
    expect(await enter(gate, "d")).toEqual({ state: "refused", reason: "full" });
  });

  it("changes nothing when a key has another type", async () => {
    const gate = await openQueue();
    await redis().set(inviteKey(queueId, "i"), "text");
    await expect(enter(gate, "a", { lane: 1, invite: inviteOf("i") })).rejects.toThrow(/WRONGTYPE/);
    expect(await line()).toEqual([]);
  });
});
