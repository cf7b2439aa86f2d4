import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { queueKeys } from "../../edge/queue/keys.ts";
import { type Line, openLine } from "../../edge/queue/line.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { type RedisServer, startRedisServer } from "../../origin/stack/redis-server.ts";
import { temporaryFolder } from "../parts/temporary-folder.ts";
import { type PlainSettings, writeSettings } from "../sim/settings.ts";

/** Mistakes that the simulation found once, each as small as it can be shown. */
const START_MS = 1_750_000_000_000;
const LANE_0_ORDER = 3 * 2 ** 50;
const SETTINGS: PlainSettings = {
  mode: "active",
  maxActive: 10,
  rate: 10,
  burst: 10,
  sessionTtlSeconds: 600,
  claimSeconds: 20,
  heartbeatTtlSeconds: 60,
  maxQueueSize: 1_000_000,
};

let server: RedisServer;
let redis: Redis;
let nowMs = START_MS;
let queueId = "";
let queueCount = 0;
let jitter = 0.5;

beforeAll(async () => {
  server = await startRedisServer({ folder: await temporaryFolder(), fsync: "no" });
  redis = new Redis(server.url);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

async function openQueue(changes: Partial<PlainSettings>): Promise<Line> {
  nowMs = START_MS;
  jitter = 0.5;
  queueId = `queue-${queueCount++}`;
  await configure(changes);
  return openLine({ store: scriptRunner(redis), queueId, ticketLifeMs: 3_600_000, random: () => jitter, simulatedNowMs: () => nowMs });
}

const configure = (changes: Partial<PlainSettings>) => writeSettings(redis, { queueId, settings: { ...SETTINGS, ...changes } });

const enter = (line: Line, ticketId: string, lane = 0) => line.enter({ ticketId, lane, addressHash: "a", ticketsPerIp: 0 });

async function join(line: Line, ticketId: string) {
  const answer = await enter(line, ticketId);
  if (answer.state !== "waiting") throw new Error(`${ticketId} does not wait: ${answer.state}`);
  return { ticketId, order: answer.order, pollAfterMs: answer.pollAfterMs };
}

it("asks for the next poll well inside the claim window, so that a reservation never lapses before it", async () => {
  const line = await openQueue({ maxActive: 1, rate: 0.1, burst: 1, claimSeconds: 5 });
  await enter(line, "first");
  jitter = 1;
  for (let index = 0; index < 40; index++) expect((await join(line, `v${index}`)).pollAfterMs).toBeLessThan(5_000);
});

/** A crowd whose answers came late: it has missed its turns for a while, so that the line has hardly moved, although there is room. */
it("asks whoever is next for a poll inside the claim window while there is room, however slowly the line has moved", async () => {
  const limits = { maxActive: 5_000, rate: 600, burst: 200, claimSeconds: 20 };
  const line = await openQueue(limits);
  const keys = queueKeys(queueId);
  const called = Array.from({ length: limits.burst + limits.rate * 5 }, (_, index) => `called-${index}`);
  const waiting = Array.from({ length: 30_000 }, (_, index) => `waiting-${index}`);
  await redis.zadd(keys.ready, ...called.flatMap((ticketId, index) => [LANE_0_ORDER + index * 2, ticketId]));
  await redis.zadd(keys.active, ...called.flatMap((ticketId) => [nowMs + 10_000, ticketId]));
  const firstWaiting = LANE_0_ORDER + called.length * 2;
  await redis.zadd(keys.waiting, ...waiting.flatMap((ticketId, index) => [firstWaiting + index * 2, ticketId]));
  await redis.zadd(keys.beats, ...waiting.flatMap((ticketId) => [nowMs + 10_000, ticketId]));
  await redis.hset(keys.bucket, { tokens: 200, refilled_at: nowMs, sequence: 10 ** 6, rate: 1, rate_at: nowMs, rate_count: 0 });
  jitter = 1;
  const next = await line.beat({ ticketId: "waiting-0", order: firstWaiting, isKeyed: false, ticketLeftMs: 3_600_000 });
  expect(next).toMatchObject({ state: "waiting", position: called.length + 1 });
  expect(next.state === "waiting" && next.pollAfterMs).toBeLessThan(limits.claimSeconds * 1_000);
  // Far behind, they are still asked to come back no more often than all of them together may.
  const last = await line.beat({ ticketId: "waiting-29999", order: firstWaiting + 59_998, isKeyed: false, ticketLeftMs: 3_600_000 });
  expect(last.state === "waiting" && last.pollAfterMs).toBeGreaterThan(limits.claimSeconds * 1_000);
});

it("lets nobody in while paused, not even with a reservation, and keeps the reservation of who polls", async () => {
  const line = await openQueue({ maxActive: 1 });
  await enter(line, "first");
  const next = await join(line, "next");
  await line.end({ sessionId: "first", reason: "completed" });
  await configure({ maxActive: 1, mode: "paused" });
  for (let poll = 0; poll < 5; poll++) {
    const answer = await line.beat(next);
    expect(answer).toMatchObject({ state: "waiting", position: 1 });
    nowMs += answer.state === "waiting" ? answer.pollAfterMs : 0;
  }
  await configure({ maxActive: 1 });
  expect(await line.beat(next)).toMatchObject({ state: "admitted" });
});

it("gives a repeated join the same place, also when a slot is reserved already, so that no ticket jumps the lanes", async () => {
  const line = await openQueue({ rate: 1, burst: 1 });
  await enter(line, "first");
  const early = await join(line, "early");
  nowMs += 1_000;
  await line.sweep();
  nowMs += 1_000;
  expect(await enter(line, "second")).toMatchObject({ state: "admitted" });
  nowMs += 1_000;
  expect(await line.beat(early)).toMatchObject({ state: "admitted" });
  // There is a slot for the last one, but nobody else may walk in within this second.
  const last = await join(line, "last");
  expect(last.order).toBeGreaterThan(LANE_0_ORDER);
  expect(await enter(line, "last")).toMatchObject({ state: "waiting", position: 1, order: last.order });
});

it("moves the next one up when somebody leaves whose reservation has lapsed", async () => {
  const line = await openQueue({ maxActive: 2, rate: 0.001, burst: 2, claimSeconds: 5 });
  await enter(line, "first");
  await configure({ maxActive: 1, rate: 0.001, burst: 2, claimSeconds: 5 });
  const [silent, next] = [await join(line, "silent"), await join(line, "next")];
  await line.end({ sessionId: "first", reason: "completed" });
  nowMs += 5_000;
  await line.leave(silent);
  expect(await line.beat(next)).toMatchObject({ state: "admitted" });
});

it("asks nobody near the head of a long line to come back later than half the time left", async () => {
  const line = await openQueue({ maxActive: 1 });
  const { waiting, beats, bucket } = queueKeys(queueId);
  await enter(line, "first");
  const far = Array.from({ length: 50_000 }, (_, index) => index + 1_000);
  await redis.zadd(waiting, ...far.flatMap((index) => [LANE_0_ORDER + index, `far-${index}`]));
  await redis.zadd(beats, ...far.flatMap((index) => [nowMs + 60_000, `far-${index}`]));
  await redis.hset(bucket, "sequence", 100_000);
  jitter = 1;
  const near = { ticketId: "far-1149", order: LANE_0_ORDER + 1_149 };
  const answer = await line.beat(near);
  expect(answer).toMatchObject({ state: "waiting", position: 150 });
  expect(answer.state === "waiting" && answer.pollAfterMs).toBeLessThanOrEqual(7_500 * 1.15);
});

it("does not count a repeated join against its own address", async () => {
  const line = await openQueue({ maxActive: 1 });
  const from = (ticketId: string) => line.enter({ ticketId, lane: 0, addressHash: "home", ticketsPerIp: 1 });
  await enter(line, "first");
  await line.touch({ sessionId: "first", views: 1, how: "renew", isFirst: true });
  expect(await from("a")).toMatchObject({ state: "waiting" });
  await enter(line, "other");
  nowMs += 120_000;
  await line.sweep();
  expect(await redis.zcard(queueKeys(queueId).waiting)).toBe(0);
  expect(await from("a")).toMatchObject({ state: "waiting" });
});

it("measures the rate from the first span on, so that the estimate does not start too long", async () => {
  const line = await openQueue({ maxActive: 1_000, rate: 10, burst: 10 });
  for (let index = 0; index < 10; index++) await enter(line, `first-${index}`);
  const crowd = [];
  for (let index = 0; index < 40; index++) crowd.push(await join(line, `v${index}`));
  let answer: unknown;
  for (let tick = 1; tick <= 25; tick++) {
    nowMs += 100;
    for (const visitor of crowd) answer = await line.beat(visitor);
  }
  expect(answer).toMatchObject({ state: "waiting" });
  expect((answer as { admissionsPerSecond: number }).admissionsPerSecond).toBeGreaterThan(8);
});

it("keeps a slot for somebody who has left no longer than until the next poll is overdue", async () => {
  const line = await openQueue({ maxActive: 1, claimSeconds: 20 });
  await enter(line, "first");
  const [silent, next] = [await join(line, "silent"), await join(line, "next")];
  await line.end({ sessionId: "first", reason: "completed" });
  nowMs += Math.ceil(silent.pollAfterMs * 1.25) + 1_499;
  expect(await line.beat(next)).toMatchObject({ state: "waiting", position: 2 });
  nowMs += 1;
  expect(await line.beat(next)).toMatchObject({ state: "admitted" });
  expect(await line.beat(silent)).toMatchObject({ state: "waiting", position: 1, order: silent.order });
});

it("keeps a token for everybody with a reservation, so that nobody behind them walks in first", async () => {
  const line = await openQueue({ rate: 1, burst: 3 });
  for (const ticketId of ["a", "b", "c"]) await enter(line, ticketId);
  const [first, second] = [await join(line, "first"), await join(line, "second")];
  nowMs += 1_000;
  expect(await line.beat(second)).toMatchObject({ state: "waiting", position: 2 });
  expect(await enter(line, "third")).toMatchObject({ state: "waiting", position: 3 });
  expect(await line.beat(first)).toMatchObject({ state: "admitted" });
  nowMs += 1_000;
  expect(await line.beat(second)).toMatchObject({ state: "admitted" });
});

it("keeps a part of the bucket for nobody, so that nothing is lost while people who were called do not come", async () => {
  const line = await openQueue({ maxActive: 1_000, rate: 100, burst: 20 });
  for (let index = 0; index < 20; index++) await enter(line, `first-${index}`);
  const called = [];
  for (let index = 0; index < 15; index++) called.push(await join(line, `called-${index}`));
  const last = called.at(-1);
  if (last === undefined) throw new Error("somebody waits");
  nowMs += 90;
  expect(await line.beat(last)).toMatchObject({ state: "waiting", position: 15 });
  // Half of the burst, although fourteen others go before.
  nowMs += 10;
  expect((await line.beat(last)).state).toBe("admitted");
});

it("asks people in a long line back by the pace at which others go in or are found gone", async () => {
  const line = await openQueue({ maxActive: 1_000, rate: 100, burst: 1, claimSeconds: 5 });
  await enter(line, "in");
  // Room for nobody else: only those who are found gone move the line.
  await configure({ maxActive: 1, rate: 100, burst: 1, claimSeconds: 5 });
  const { waiting, beats, bucket } = queueKeys(queueId);
  const far = Array.from({ length: 20_000 }, (_, index) => index + 2_000);
  await redis.zadd(waiting, ...far.flatMap((index) => [LANE_0_ORDER + index, `far-${index}`]));
  await redis.zadd(beats, ...far.flatMap((index) => [nowMs + 60_000, `far-${index}`]));
  await redis.hset(bucket, { sequence: 10 ** 6, rate: 100, rate_at: nowMs, rate_count: 0, pace: 100, gone_count: 0 });
  const asked = async () => {
    const answer = await line.beat({ ticketId: "far-12000", order: LANE_0_ORDER + 12_000 });
    return answer.state === "waiting" ? answer.pollAfterMs : 0;
  };
  const before = await asked();
  await redis.hset(bucket, "gone_count", 6_000);
  nowMs += 2_000;
  await asked();
  expect(Number(await redis.hget(bucket, "pace"))).toBeCloseTo(0.7 * 100 + 0.3 * 3_000);
  expect(await asked()).toBeLessThan(before / 2);
});

it("counts who is found gone in the pace, whether in the line or with a reservation", async () => {
  const line = await openQueue({ maxActive: 1_000, rate: 0.1, burst: 1 });
  await enter(line, "in");
  const crowd = [];
  for (let index = 0; index < 10; index++) crowd.push(await join(line, `v${index}`));
  const last = crowd.at(-1);
  if (last === undefined) throw new Error("somebody waits");
  for (let second = 0; second < 30; second++) {
    nowMs += 1_000;
    await line.beat(last);
  }
  const [pace = "", rate = ""] = await redis.hmget(queueKeys(queueId).bucket, "pace", "rate");
  expect(Number(pace)).toBeGreaterThan(Number(rate));
});

it("lets in no more at once than a smaller burst has left, after it is made larger again", async () => {
  const line = await openQueue({ rate: 1, burst: 5, mode: "paused" });
  const crowd = [];
  for (let index = 0; index < 5; index++) crowd.push(await join(line, `v${index}`));
  await configure({ rate: 1, burst: 2, mode: "paused" });
  await line.sweep();
  await configure({ rate: 1, burst: 5 });
  const states = [];
  for (const visitor of crowd) states.push((await line.beat(visitor)).state);
  expect(states).toEqual(["admitted", "admitted", "waiting", "waiting", "waiting"]);
});

it("goes on at the same rate when the store's clock is set back by an hour", async () => {
  const line = await openQueue({ rate: 1, burst: 1 });
  await enter(line, "first");
  const next = await join(line, "next");
  nowMs -= 3_600_000;
  expect(await line.beat(next)).toMatchObject({ state: "waiting" });
  nowMs += 1_000;
  expect(await line.beat(next)).toMatchObject({ state: "admitted" });
});

it("gives whoever missed a turn the next one, before those who were called meanwhile", async () => {
  const line = await openQueue({ maxActive: 1_000, rate: 0.1, burst: 1 });
  await enter(line, "first");
  const late = await join(line, "late");
  nowMs += late.pollAfterMs + 60_000;
  // The reservation has lapsed, and the one behind has taken all that the rate allows.
  await enter(line, "second");
  const called = await join(line, "called");
  expect(await redis.zrange(queueKeys(queueId).ready, "0", "-1")).toEqual(["called"]);
  expect(await line.beat(late)).toMatchObject({ state: "waiting", position: 1 });
  expect(await redis.zrange(queueKeys(queueId).ready, "0", "-1")).toEqual(["late", "called"]);
  expect(await line.beat(called)).toMatchObject({ state: "waiting", position: 2 });
});

it("asks people with a reservation back about once when hundreds go in each second", async () => {
  const line = await openQueue({ maxActive: 100_000, rate: 600, burst: 1 });
  await enter(line, "in");
  for (let number = 0; number < 1_199; number++) await enter(line, `before-${number}`);
  const asked = await join(line, "asked");
  // Two seconds to go, as far as one knows: who has just come is asked after a quarter of them.
  expect(asked.pollAfterMs).toBeGreaterThanOrEqual(500);
  expect(asked.pollAfterMs).toBeLessThanOrEqual(600);
  // Those before are still there: four fifths of what is left, where a slow line would ask after a quarter again.
  const answer = await line.beat(asked);
  expect(answer.state === "waiting" && answer.pollAfterMs).toBeGreaterThanOrEqual(1_600);
  expect(answer.state === "waiting" && answer.pollAfterMs).toBeLessThanOrEqual(2_000);
});

it("keeps place and turn of everybody who was there when the store went away", async () => {
  const line = await openQueue({ maxActive: 100, rate: 1, burst: 1 });
  await enter(line, "first");
  const people = [];
  for (let number = 0; number < 12; number++) people.push(await join(line, `person-${number}`));
  const { ready, waiting } = queueKeys(queueId);
  const called = await redis.zrange(ready, "0", "-1");
  expect(called.length).toBeGreaterThan(0);
  nowMs += 30_000;
  // The last one is the first who comes back.
  const last = people.at(-1);
  if (last === undefined) throw new Error("somebody waits");
  const answer = await line.beat(last);
  expect(answer).toMatchObject({ state: "waiting", total: people.length });
  expect(await redis.zrange(ready, "0", "-1")).toEqual(people.slice(0, called.length + 1).map(({ ticketId }) => ticketId));
  // Who is not back when those who are have polled for as long as that has left.
  for (let second = 0; second < 13; second++) {
    nowMs += 1_000;
    await line.beat(last);
  }
  expect((await line.beat(last)).state).toBe("admitted");
  expect([...(await redis.zrange(ready, "0", "-1")), ...(await redis.zrange(waiting, "0", "-1"))]).toEqual([]);
});

it("calls those who drew the same number together, so that the same poll again calls nobody more", async () => {
  const line = await openQueue({ maxActive: 100, rate: 0.1, burst: 1 });
  const { waiting, beats, bucket, ready } = queueKeys(queueId);
  const drawn = LANE_0_ORDER + 4 * 2 ** 40 + 1;
  await redis.zadd(waiting, drawn, "one", drawn, "other", drawn + 2, "next");
  await redis.zadd(beats, nowMs + 10_000, "one", nowMs + 10_000, "other", nowMs + 10_000, "next");
  // No token, and what comes in five seconds is half of one.
  await redis.hset(bucket, { tokens: 0, refilled_at: nowMs, sequence: 5 * 2 ** 40, rate: 1, rate_at: nowMs, rate_count: 0 });
  for (let poll = 0; poll < 2; poll++) {
    await line.beat({ ticketId: "next", order: drawn + 2 });
    expect(await redis.zrange(ready, "0", "-1")).toEqual(["one", "other"]);
  }
});

it("takes silence for an outage only when several polls were missed", async () => {
  const line = await openQueue({ maxActive: 100, rate: 0.1, burst: 1 });
  await enter(line, "first");
  const people = [await join(line, "one"), await join(line, "two"), await join(line, "three")];
  nowMs += 30_000;
  const last = people[2] ?? people[0];
  if (last === undefined) throw new Error("somebody waits");
  expect((await line.beat(last)).state).toBe("admitted");
});
