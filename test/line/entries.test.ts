import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queueKeys } from "../../edge/line/keys.ts";
import { type Line, openLine } from "../../edge/line/line.ts";
import { borrowRedis, type TestServer } from "../../kit/borrowed-servers.ts";
import { type PlainSettings, writeSettings } from "../../kit/line-settings.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";

/**
 * How visitors get their entry times, and mistakes that the simulation found once, each as small as it can be shown.
 */
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

let server: TestServer;
let redis: Redis;
let nowMs = START_MS;
let queueId = "";
let queueCount = 0;
let jitter = 0.5;

beforeAll(async () => {
  server = await borrowRedis({ fsync: "no" });
  redis = new Redis(server.url);
});

afterAll(async () => {
  redis.disconnect();
});

async function openQueue(changes: Partial<PlainSettings>): Promise<Line> {
  nowMs = START_MS;
  jitter = 0.5;
  queueId = `queue-${queueCount++}`;
  await configure(changes);
  return openLine({
    store: scriptRunner(redis),
    queueId,
    ticketLifeMs: 3_600_000,
    random: () => jitter,
    simulatedNowMs: () => nowMs,
  });
}

const configure = (changes: Partial<PlainSettings>) =>
  writeSettings(redis, { queueId, settings: { ...SETTINGS, ...changes } });

const enter = (line: Line, ticketId: string, lane = 0) =>
  line.enter({ ticketId, lane, addressHash: "a", ticketsPerIp: 0 });

async function join(line: Line, ticketId: string) {
  const answer = await enter(line, ticketId);
  if (answer.state !== "waiting") throw new Error(`${ticketId} does not wait: ${answer.state}`);
  return { ticketId, order: answer.order, pollAfterMs: answer.pollAfterMs };
}

it("admits no one while paused, and keeps the place of a visitor who polls", async () => {
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

it("gives a repeated join the same place", async () => {
  const line = await openQueue({ rate: 1, burst: 1 });
  await enter(line, "first");
  const early = await join(line, "early");
  nowMs += 1_000;
  await line.sweep();
  nowMs += 1_000;
  expect(await enter(line, "second")).toMatchObject({ state: "admitted" });
  nowMs += 1_000;
  expect(await line.beat(early)).toMatchObject({ state: "admitted" });
  // There is a slot for the last one, but no other visitor may enter within this second.
  const last = await join(line, "last");
  expect(last.order).toBeGreaterThan(LANE_0_ORDER);
  expect(await enter(line, "last")).toMatchObject({ state: "waiting", position: 1, order: last.order });
});

it("lets the next visitor in when one who stopped polling leaves", async () => {
  const line = await openQueue({ maxActive: 2, rate: 0.001, burst: 2, claimSeconds: 5 });
  await enter(line, "first");
  await configure({ maxActive: 1, rate: 0.001, burst: 2, claimSeconds: 5 });
  const [silent, next] = [await join(line, "silent"), await join(line, "next")];
  await line.end({ sessionId: "first", reason: "completed" });
  nowMs += 5_000;
  await line.leave(silent);
  expect(await line.beat(next)).toMatchObject({ state: "admitted" });
});

it("asks visitors near the head of a long line to poll within half the time left", async () => {
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

it("keeps a token for every visitor in front, so that no one behind enters first", async () => {
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

it("includes visitors who stopped polling in the pace", async () => {
  const line = await openQueue({ maxActive: 1_000, rate: 0.1, burst: 1 });
  await enter(line, "in");
  const crowd = [];
  for (let index = 0; index < 10; index++) crowd.push(await join(line, `v${index}`));
  const last = crowd.at(-1);
  if (last === undefined) throw new Error("a visitor waits");
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

it("takes silence for an outage only when several polls were missed", async () => {
  const line = await openQueue({ maxActive: 100, rate: 0.1, burst: 1 });
  await enter(line, "first");
  const people = [await join(line, "one"), await join(line, "two"), await join(line, "three")];
  nowMs += 30_000;
  const last = people[2] ?? people[0];
  if (last === undefined) throw new Error("a visitor waits");
  expect((await line.beat(last)).state).toBe("admitted");
});

describe("with a small burst", () => {
  it("asks each visitor to poll shortly before the entry time, and holds the answer until then", async () => {
    const line = await openQueue({ maxActive: 1_000, rate: 5, burst: 1 });
    expect(await enter(line, "in")).toMatchObject({ state: "admitted", holdMs: 0 });
    // The next tokens come every 200 ms: a visitor up to half a second early is held.
    expect(await enter(line, "second")).toMatchObject({ state: "admitted", holdMs: 200 });
    expect(await enter(line, "third")).toMatchObject({ state: "admitted", holdMs: 400 });
    const [fourth, fifth] = [await join(line, "fourth"), await join(line, "fifth")];
    expect([fourth.pollAfterMs, fifth.pollAfterMs]).toEqual([300, 500]);
    nowMs += 300;
    expect(await line.beat(fourth)).toMatchObject({ state: "admitted", holdMs: 300 });
    nowMs += 200;
    expect(await line.beat(fifth)).toMatchObject({ state: "admitted", holdMs: 300 });
  });

  it("answers a repeated claim with the time that is left until the same entry", async () => {
    const line = await openQueue({ maxActive: 1_000, rate: 5, burst: 1 });
    await enter(line, "in");
    const first = await enter(line, "second");
    nowMs += 150;
    expect(await enter(line, "second")).toEqual({ ...first, isNew: false, holdMs: 50 });
  });

  it("leaves the entry of a visitor who is a moment late free, and lets them in at that time", async () => {
    const line = await openQueue({ maxActive: 1_000, rate: 10, burst: 1 });
    for (const ticketId of ["a", "b", "c", "d", "e", "f"]) await enter(line, ticketId);
    const [late, next] = [await join(line, "late"), await join(line, "next")];
    expect([late.pollAfterMs, next.pollAfterMs]).toEqual([300, 400]);
    nowMs += next.pollAfterMs;
    expect(await line.beat(next)).toMatchObject({ state: "admitted", holdMs: 300 });
    nowMs += 50;
    expect(await line.beat(late)).toMatchObject({ state: "admitted", holdMs: 150 });
  });

  it("gives the entry of an absent visitor to the next one, so that no token is lost", async () => {
    const line = await openQueue({ maxActive: 1_000, rate: 10, burst: 1 });
    for (const ticketId of ["a", "b", "c", "d", "e", "f"]) await enter(line, ticketId);
    const [gone, one, other] = [await join(line, "gone"), await join(line, "one"), await join(line, "other")];
    nowMs += gone.pollAfterMs + 201;
    const waits = [await line.beat(one), await line.beat(other)].map(
      (answer) => answer.state === "admitted" && answer.holdMs,
    );
    expect(waits).toEqual([99, 199]);
  });

  it("gives no entry more than 200 ms before that of a held visitor in front", async () => {
    const line = await openQueue({ maxActive: 1_000, rate: 4, burst: 1 });
    for (const ticketId of ["a", "b", "c"]) await enter(line, ticketId);
    const [gone, held, next] = [await join(line, "gone"), await join(line, "held"), await join(line, "next")];
    expect(gone.pollAfterMs).toBe(450);
    nowMs += 500;
    // The entry at 750 is left free for the first one, who does not come.
    expect(await line.beat(held)).toMatchObject({ state: "admitted", holdMs: 500 });
    nowMs += 151;
    expect((await line.beat(next)).state).toBe("waiting");
    nowMs += 99;
    expect(await line.beat(next)).toMatchObject({ state: "admitted", holdMs: 500 });
  });

  it("uses at most half of the free slots for visitors who are held", async () => {
    const line = await openQueue({ maxActive: 3, rate: 10, burst: 1 });
    for (const ticketId of ["a", "b"]) await enter(line, ticketId);
    // One slot is free: it is taken at most 50 ms ahead. The next entry is in 200 ms.
    const next = await join(line, "next");
    nowMs += 149;
    expect((await line.beat(next)).state).toBe("waiting");
    nowMs += 1;
    expect(await line.beat(next)).toMatchObject({ state: "admitted", holdMs: 50 });
  });
});

it("asks visitors to poll a moment after their entry time where a larger burst saves the token for them", async () => {
  const line = await openQueue({ maxActive: 1_000, rate: 10, burst: 100 });
  for (let number = 0; number < 100; number++) await enter(line, `in-${number}`);
  expect((await join(line, "next")).pollAfterMs).toBe(200);
});

it("lets no visitor overtake one in front who polls as asked and is expected later", async () => {
  const line = await openQueue({ maxActive: 1, rate: 10, burst: 10 });
  await enter(line, "in");
  const [first, second] = [await join(line, "first"), await join(line, "second")];
  await line.end({ sessionId: "in", reason: "completed" });
  await configure({ maxActive: 10, rate: 10, burst: 10 });
  const early = await line.beat(second);
  // As soon as the first one was there, the second one is.
  expect(early).toMatchObject({ state: "waiting", position: 2, pollAfterMs: first.pollAfterMs });
  nowMs += first.pollAfterMs;
  expect((await line.beat(first)).state).toBe("admitted");
  expect((await line.beat(second)).state).toBe("admitted");
});

it("does not wait for a visitor who is late, and lets them in as soon as they are back", async () => {
  const line = await openQueue({ maxActive: 1_000, rate: 1, burst: 1 });
  await enter(line, "in");
  const [late, next] = [await join(line, "late"), await join(line, "next")];
  nowMs += late.pollAfterMs + 201;
  expect((await line.beat(next)).state).toBe("admitted");
  nowMs += 1_000;
  expect(await line.beat(late)).toMatchObject({ state: "admitted" });
});

it("drops a visitor near the head who is long overdue where others may enter, and restores the place on return", async () => {
  const line = await openQueue({ maxActive: 1, claimSeconds: 20 });
  await enter(line, "first");
  const [silent, next] = [await join(line, "silent"), await join(line, "next")];
  nowMs += silent.pollAfterMs + 5_000;
  // No visitor can enter: lateness makes no difference.
  expect(await line.beat(next)).toMatchObject({ state: "waiting", position: 2 });
  await line.end({ sessionId: "first", reason: "completed" });
  expect(await line.beat(next)).toMatchObject({ state: "admitted" });
  expect(await redis.zcard(queueKeys(queueId).waiting)).toBe(0);
  expect(await line.beat(silent)).toMatchObject({ state: "waiting", position: 1, order: silent.order });
});

it("measures the rate from the first admissions on, and less as soon as they stop", async () => {
  const line = await openQueue({ maxActive: 1_000, rate: 10, burst: 10 });
  for (let index = 0; index < 10; index++) await enter(line, `first-${index}`);
  const crowd: Awaited<ReturnType<typeof join>>[] = [];
  for (let index = 0; index < 40; index++) crowd.push(await join(line, `v${index}`));
  const rate = async () => {
    let answer: Awaited<ReturnType<Line["beat"]>> | undefined;
    for (const visitor of crowd) answer = await line.beat(visitor);
    return answer?.state === "waiting" ? answer.flow.admissionsPerSecond : undefined;
  };
  for (let tick = 1; tick <= 25; tick++) {
    nowMs += 100;
    await rate();
  }
  expect(await rate()).toBeGreaterThan(8);
  await configure({ maxActive: 1, rate: 10, burst: 10 });
  nowMs += 60_000;
  expect(await rate()).toBeLessThan(1);
  expect(await rate()).toBeGreaterThan(0);
});

it("says how long a full room has been stalled, and by when the slot for a place is free", async () => {
  const line = await openQueue({ maxActive: 2, sessionTtlSeconds: 600, claimSeconds: 20 });
  await enter(line, "a");
  nowMs += 1_000;
  await enter(line, "b");
  for (const sessionId of ["a", "b"]) await line.touch({ sessionId, views: 1, how: "renew", isFirst: true });
  const endsMs = nowMs + 600_000;
  nowMs += 30_000;
  const third = await enter(line, "c");
  expect(third).toMatchObject({ flow: { admissionsPerSecond: 0, freeSlots: 0, stillMs: 30_000 }, latestAtMs: endsMs });
  await enter(line, "d");
  // The third in line waits for one of those who enter then.
  expect(await enter(line, "e")).toMatchObject({ position: 3, latestAtMs: endsMs + 600_000 });
});

it("continues at the same rate when the store's clock is set back by an hour", async () => {
  const line = await openQueue({ rate: 1, burst: 1 });
  await enter(line, "first");
  const next = await join(line, "next");
  nowMs -= 3_600_000;
  expect(await line.beat(next)).toMatchObject({ state: "waiting" });
  nowMs += 1_000;
  expect(await line.beat(next)).toMatchObject({ state: "admitted" });
});

it("asks visitors near the head to poll within the time left at the full rate, however slowly the line has moved", async () => {
  const line = await openQueue({ maxActive: 5_000, rate: 600, burst: 200 });
  const keys = queueKeys(queueId);
  const waiting = Array.from({ length: 30_000 }, (_, index) => `waiting-${index}`);
  await redis.zadd(keys.waiting, ...waiting.flatMap((ticketId, index) => [LANE_0_ORDER + index * 2, ticketId]));
  await redis.zadd(keys.beats, ...waiting.flatMap((ticketId) => [nowMs + 10_000, ticketId]));
  await redis.hset(keys.bucket, {
    tokens: 0,
    refilled_at: nowMs,
    sequence: 10 ** 6,
    rate: 1,
    rate_at: nowMs,
    rate_count: 0,
  });
  jitter = 1;
  const asked = async (index: number) => {
    const answer = await line.beat({ ticketId: `waiting-${index}`, order: LANE_0_ORDER + index * 2 });
    return answer.state === "waiting" ? answer.pollAfterMs : 0;
  };
  expect(await asked(3_000)).toBeLessThanOrEqual(5_000);
  // Far behind, they are still asked to come back no more often than all of them together may.
  expect(await asked(29_999)).toBeGreaterThan(20_000);
});

it("keeps place and turn of every visitor who was present when the store became unavailable", async () => {
  const line = await openQueue({ maxActive: 100, rate: 1, burst: 1 });
  await enter(line, "first");
  const people = [];
  for (let number = 0; number < 12; number++) people.push(await join(line, `person-${number}`));
  nowMs += 30_000;
  // The last one is the first who comes back.
  const [next, last] = [people[0], people.at(-1)];
  if (next === undefined || last === undefined) throw new Error("a visitor waits");
  expect(await line.beat(last)).toMatchObject({ state: "waiting", total: people.length });
  nowMs += 500;
  expect(await line.beat(next)).toMatchObject({ state: "admitted" });
  // Visitors who are not back when others have polled for as long as that have left.
  for (let second = 0; second < 13; second++) {
    nowMs += 1_000;
    await line.beat(last);
  }
  expect((await line.beat(last)).state).toBe("admitted");
  expect(await redis.zcard(queueKeys(queueId).waiting)).toBe(0);
});
