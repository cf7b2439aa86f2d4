import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queueKeys } from "../../edge/line/keys.ts";
import { type Line, openLine } from "../../edge/line/line.ts";
import { openRegistry } from "../../edge/line/registry.ts";
import { type QueueStats, readStats } from "../../edge/operators/stats/read-stats.ts";
import { hoursOf, minutesOf, type Span } from "../../edge/operators/stats/series.ts";
import { statsAnswer } from "../../edge/operators/stats/stats-answer.ts";
import { borrowRedis, type TestServer } from "../../kit/borrowed-servers.ts";
import { type PlainSettings, writeSettings } from "../../kit/line-settings.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";

/** Half a minute before a full hour, so that few steps lead over both borders. */
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const FULL_HOUR_MS = 486_200 * HOUR_MS;
const START_MS = FULL_HOUR_MS - 30_000;
const SETTINGS: PlainSettings = {
  mode: "active",
  maxActive: 1,
  rate: 100,
  burst: 100,
  sessionTtlSeconds: 80_000,
  claimSeconds: 20,
  heartbeatTtlSeconds: 60,
  maxQueueSize: 1_000,
};

let server: TestServer;
let redis: Redis;
let nowMs = START_MS;
let queueId = "";
let queueCount = 0;

beforeAll(async () => {
  server = await borrowRedis({ fsync: "no" });
  redis = new Redis(server.url);
});

afterAll(async () => {
  redis.disconnect();
});

async function openQueue(changes: Partial<PlainSettings> = {}): Promise<Line> {
  nowMs = START_MS;
  queueId = `queue-${queueCount++}`;
  await writeSettings(redis, { queueId, settings: { ...SETTINGS, ...changes } });
  return openLine({
    store: scriptRunner(redis),
    queueId,
    ticketLifeMs: HOUR_MS,
    random: () => 0.5,
    simulatedNowMs: () => nowMs,
  });
}

const enter = (line: Line, ticketId: string) => line.enter({ ticketId, lane: 0, addressHash: "a", ticketsPerIp: 0 });

async function join(line: Line, ticketId: string) {
  const answer = await enter(line, ticketId);
  if (answer.state !== "waiting") throw new Error(`${ticketId} does not wait: ${answer.state}`);
  return { ticketId, order: answer.order };
}

/** As if it were read at the simulated time. */
async function stats(): Promise<QueueStats> {
  const read = await readStats(scriptRunner(redis), queueId, "all");
  if (read === undefined) throw new Error("the queue is not there");
  return { ...read, nowMs };
}

function flows(spans: readonly Span[]) {
  return spans.map(({ enqueued, admitted, expired, left }) => [enqueued, admitted, expired, left]);
}

describe("what the line counts", () => {
  it("is joins, admissions, departures and expiries, each in the minute and the hour in which it happened", async () => {
    const line = await openQueue();
    await enter(line, "inside");
    await line.touch({ sessionId: "inside", views: 1, how: "renew", isFirst: true });
    await join(line, "silent");
    const leaver = await join(line, "leaver");
    nowMs = FULL_HOUR_MS - 1;
    await line.leave(leaver);
    nowMs = FULL_HOUR_MS;
    const next = await join(line, "next");
    await line.end({ sessionId: "inside", reason: "completed" });
    expect(await line.beat(next)).toMatchObject({ state: "admitted" });
    const read = await stats();
    expect(flows(minutesOf(read, 2))).toEqual([
      [3, 1, 0, 1],
      [1, 1, 1, 0],
    ]);
    expect(flows(hoursOf(read, 2))).toEqual(flows(minutesOf(read, 2)));
    expect(minutesOf(read, 2).map(({ startsAtMs }) => startsAtMs)).toEqual([FULL_HOUR_MS - MINUTE_MS, FULL_HOUR_MS]);
    expect(hoursOf(read, 2).map(({ startsAtMs }) => startsAtMs)).toEqual([FULL_HOUR_MS - HOUR_MS, FULL_HOUR_MS]);
  });

  it("does not count a repeated join, poll, claim or leave again", async () => {
    const line = await openQueue();
    for (let times = 0; times < 3; times++) await enter(line, "inside");
    const visitor = await join(line, "visitor");
    for (let times = 0; times < 3; times++) await enter(line, "visitor");
    for (let times = 0; times < 3; times++) await line.beat(visitor);
    for (let times = 0; times < 3; times++) await line.leave(visitor);
    expect(flows(hoursOf(await stats(), 1))).toEqual([[2, 1, 0, 1]]);
  });

  it("tells returning visitors from new ones", async () => {
    const line = await openQueue();
    await enter(line, "inside");
    await line.touch({ sessionId: "inside", views: 1, how: "renew", isFirst: true });
    const visitor = await join(line, "visitor");
    nowMs += 200_000;
    await line.sweep();
    await line.beat(visitor);
    const read = await stats();
    expect(flows(hoursOf(read, 2))).toEqual([
      [2, 1, 0, 0],
      [0, 0, 1, 0],
    ]);
    expect(read.fields.get("total_returned")).toBe("1");
  });

  it("writes nothing for polls that change nothing", async () => {
    const line = await openQueue();
    await enter(line, "inside");
    const visitor = await join(line, "visitor");
    const before = await redis.hgetall(queueKeys(queueId).stats);
    for (let times = 0; times < 5; times++) {
      nowMs += 1_000;
      await line.beat(visitor);
      await line.touch({ sessionId: "inside", views: 1, how: "renew" });
      await line.sweep();
    }
    expect(await redis.hgetall(queueKeys(queueId).stats)).toEqual(before);
  });

  it("has a bounded number of fields, however long the queue runs and however long visitors wait", async () => {
    const line = await openQueue({ maxActive: 10_000 });
    for (let minute = 0; minute < 1_600; minute++) {
      nowMs += MINUTE_MS;
      await enter(line, `v${minute}`);
    }
    const fields = Object.keys(await redis.hgetall(queueKeys(queueId).stats));
    expect(fields.filter((field) => /^m\d+$/.test(field)).length).toBe(180);
    expect(fields.filter((field) => /^h\d+$/.test(field)).length).toBe(24);
    expect(fields.length).toBeLessThan(180 + 24 + 20 + 2 * 76);
    const read = await stats();
    expect(flows(hoursOf(read, 24)).slice(1, -1)).toEqual(Array.from({ length: 22 }, () => [60, 60, 0, 0]));
    expect(flows(minutesOf(read, 180))).toEqual(Array.from({ length: 180 }, () => [1, 1, 0, 0]));
  });

  it("goes with the queue", async () => {
    await enter(await openQueue(), "inside");
    const { stats: key } = queueKeys(queueId);
    expect(await redis.exists(key)).toBe(1);
    expect(await openRegistry(scriptRunner(redis)).deleteQueue(queueId, { force: true })).toBe("deleted");
    expect(await redis.exists(key)).toBe(0);
  });
});

describe("peaks", () => {
  it("hold the peak of their minute and hour, including visitors from before it began", async () => {
    const line = await openQueue({ maxActive: 2 });
    for (const ticketId of ["a", "b"]) await enter(line, ticketId);
    const crowd = [];
    for (const ticketId of ["c", "d", "e"]) crowd.push(await join(line, ticketId));
    for (const visitor of crowd.slice(1)) await line.leave(visitor);
    nowMs = FULL_HOUR_MS + MINUTE_MS;
    await line.end({ sessionId: "a", reason: "completed" });
    await line.end({ sessionId: "b", reason: "completed" });
    const read = await stats();
    expect(minutesOf(read, 3).map(({ peakWaiting, peakActive }) => [peakWaiting, peakActive])).toEqual([
      [3, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(hoursOf(read, 2).map(({ peakWaiting }) => peakWaiting)).toEqual([3, 1]);
  });
});

describe("waits", () => {
  const MANY = 20;

  async function waitsOf(admittedMs: number, gaveUpMs: number) {
    const line = await openQueue({ maxActive: MANY, mode: "paused" });
    const stay: { readonly ticketId: string; readonly order: number }[] = [];
    for (let index = 0; index < MANY; index++) stay.push(await join(line, `stay-${index}`));
    const leave: typeof stay = [];
    for (let index = 0; index < MANY; index++) leave.push(await join(line, `leave-${index}`));
    const go = async () => {
      nowMs = START_MS + admittedMs;
      await writeSettings(redis, { queueId, settings: { ...SETTINGS, maxActive: MANY } });
      for (const visitor of stay) expect(await line.beat(visitor)).toMatchObject({ state: "admitted" });
    };
    const giveUp = async () => {
      nowMs = START_MS + gaveUpMs;
      for (const visitor of leave) await line.leave(visitor);
    };
    for (const step of admittedMs < gaveUpMs ? [go, giveUp] : [giveUp, go]) await step();
    return statsAnswer(await stats(), 24);
  }

  it("include visitors who gave up, in the percentiles and the mean", async () => {
    const { totals, hours } = await waitsOf(2_000, 400_000);
    expect(totals).toMatchObject({ enqueued: 40, admitted: 20, left: 20 });
    expect(totals.waitMs?.p50).toBeGreaterThan(1_600);
    expect(totals.waitMs?.p50).toBeLessThan(2_500);
    expect(totals.waitMs?.p90).toBeGreaterThan(330_000);
    expect(totals.waitMs?.p99).toBeLessThan(480_000);
    const ended = hours.filter(({ meanWaitMs }) => meanWaitMs !== null);
    expect(ended.map(({ meanWaitMs }) => meanWaitMs)).toEqual([2_000, 400_000]);
  });

  it("are zero for a visitor who is admitted at once", async () => {
    const line = await openQueue({ maxActive: 10 });
    for (const ticketId of ["a", "b", "c"]) await enter(line, ticketId);
    expect(statsAnswer(await stats(), 1).totals.waitMs).toEqual({ p50: 0, p90: 0, p99: 0 });
  });

  it("end for a silent visitor at the overdue poll, not when a sweep finds it", async () => {
    const line = await openQueue();
    await enter(line, "inside");
    await join(line, "silent");
    nowMs += 10 * HOUR_MS;
    await line.sweep();
    expect(statsAnswer(await stats(), 1).totals).toMatchObject({ expired: 1 });
    expect(statsAnswer(await stats(), 1).totals.waitMs?.p99).toBeLessThan(MINUTE_MS);
  });

  it("are null while no wait has ended", async () => {
    const line = await openQueue({ mode: "paused" });
    await join(line, "a");
    expect(statsAnswer(await stats(), 1)).toMatchObject({
      totals: { enqueued: 1, waitMs: null },
      hours: [{ meanWaitMs: null, waitMs: null }],
    });
  });
});

describe("faults", () => {
  it("of the statistics do not stop the line", async () => {
    const line = await openQueue();
    await redis.set(queueKeys(queueId).stats, "of the wrong type");
    expect(await enter(line, "a")).toMatchObject({ state: "admitted" });
    const visitor = await join(line, "b");
    await line.end({ sessionId: "a", reason: "completed" });
    expect(await line.beat(visitor)).toMatchObject({ state: "admitted" });
  });

  it("of the clock, set back a little, neither lose nor double a count", async () => {
    const line = await openQueue({ maxActive: 100 });
    await enter(line, "a");
    nowMs = FULL_HOUR_MS + 5;
    await enter(line, "b");
    nowMs = FULL_HOUR_MS - 10;
    await enter(line, "c");
    nowMs = FULL_HOUR_MS + 10;
    await enter(line, "d");
    const read = await stats();
    expect(flows(minutesOf(read, 2))).toEqual([
      [1, 1, 0, 0],
      [3, 3, 0, 0],
    ]);
    expect(flows(hoursOf(read, 2))).toEqual(flows(minutesOf(read, 2)));
  });
});
