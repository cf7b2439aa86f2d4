import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queueKeys } from "../../edge/line/keys.ts";
import { type Line, openLine } from "../../edge/line/line.ts";
import { borrowRedis, type TestServer } from "../../kit/borrowed-servers.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { orderOf, placeOf } from "../../shared/draw.ts";

const OPENS_MS = 1_750_000_000_000;
const PREQUEUE_MS = OPENS_MS - 60_000;
const CLOSES_MS = OPENS_MS + 600_000;
const SESSION_SECONDS = 600;
/** As long as a slot is held whose pass has not come back. */
const CLAIM_SECONDS = 20;
/** Behind the numbers that the clock gives out at this time. */
const DRAW_SPAN = 4;

let server: TestServer;
let redis: Redis;
let nowMs = 0;
let queueId = "";
let line: Line;
let queueCount = 0;
let jitter = 0.5;

beforeAll(async () => {
  server = await borrowRedis({ fsync: "no" });
  redis = new Redis(server.url);
});

afterAll(async () => {
  redis.disconnect();
});

type Fields = Readonly<Record<string, string | number>>;

async function openQueue(fields: Fields = {}): Promise<void> {
  queueId = `event-${queueCount++}`;
  jitter = 0.5;
  await configure({
    mode: "active",
    max_active: 10,
    admission_rate: 10,
    admission_burst: 10,
    session_ttl_seconds: SESSION_SECONDS,
    claim_seconds: CLAIM_SECONDS,
    heartbeat_ttl_seconds: 60,
    max_queue_size: 1_000,
    order: "fifo",
    prequeue_opens_at: PREQUEUE_MS,
    opens_at: OPENS_MS,
    closes_at: CLOSES_MS,
    draw_span: DRAW_SPAN,
    ...fields,
  });
  line = openLine({
    store: scriptRunner(redis),
    queueId,
    ticketLifeMs: 3_600_000,
    random: () => jitter,
    simulatedNowMs: () => nowMs,
  });
}

async function configure(fields: Fields): Promise<void> {
  await redis.hset(queueKeys(queueId).meta, fields);
}

const enter = (ticketId: string, number = 0, lane = 0) =>
  line.enter({ ticketId, lane, addressHash: "a", ticketsPerIp: 0, drawn: { drawSpan: DRAW_SPAN, number } });

const beat = (ticketId: string, order: number) => line.beat({ ticketId, order });

async function orderOfJoin(ticketId: string, number = 0): Promise<number> {
  const answer = await enter(ticketId, number);
  if (answer.state !== "waiting") throw new Error(`${ticketId} does not wait: ${answer.state}`);
  return answer.order;
}

describe("a queue with a schedule", () => {
  it("gives no place before its time, and says when that is", async () => {
    await openQueue();
    nowMs = PREQUEUE_MS - 1;
    expect(await enter("a")).toEqual({ state: "scheduled", placesOpenAtMs: PREQUEUE_MS, opensAtMs: OPENS_MS, nowMs });
    expect(await redis.keys(`queue:{${queueId}}:*`)).toEqual([queueKeys(queueId).meta]);
    await openQueue({ prequeue_opens_at: "null" });
    nowMs = OPENS_MS - 1;
    expect(await enter("a")).toMatchObject({ state: "scheduled", placesOpenAtMs: OPENS_MS });
    nowMs = OPENS_MS;
    expect(await enter("a")).toMatchObject({ state: "admitted" });
  });

  it("gives places in the prequeue and admits no one before the opening; then the line moves", async () => {
    await openQueue({ max_active: 2 });
    nowMs = PREQUEUE_MS;
    expect(await enter("a")).toMatchObject({ state: "waiting", position: 1, total: 1, opensAtMs: OPENS_MS });
    const order = await orderOfJoin("b");
    nowMs = OPENS_MS - 1;
    await line.sweep();
    expect(await enter("a")).toMatchObject({ state: "waiting", position: 1, total: 2, opensAtMs: OPENS_MS });
    expect(await redis.zcard(queueKeys(queueId).active)).toBe(0);
    expect(await beat("b", order)).toMatchObject({ state: "waiting", position: 2 });
    nowMs = OPENS_MS;
    // The first one is expected in a moment, and enters first.
    expect(await beat("b", order)).toMatchObject({ state: "waiting", position: 2 });
    expect(await enter("a")).toMatchObject({ state: "admitted", expiresAtMs: OPENS_MS + CLAIM_SECONDS * 1_000 });
    expect(await beat("b", order)).toMatchObject({ state: "admitted" });
  });

  it("asks all visitors to poll soon after the opening, at different moments, and no sooner for a better place", async () => {
    await openQueue({ order: "lottery" });
    const pollsAt = async (ticketId: string, number: number) => {
      const answer = await enter(ticketId, number);
      return answer.state === "waiting" ? nowMs + answer.pollAfterMs : 0;
    };
    nowMs = PREQUEUE_MS;
    expect(await pollsAt("first", 1)).toBe(await pollsAt("last", 2 ** 39 - 1));
    nowMs = OPENS_MS - 5_000;
    const moments: number[] = [];
    for (jitter of [0, 0.25, 0.5, 0.75, 1]) moments.push(await pollsAt("first", 1));
    expect(moments).toEqual([0, 500, 1_000, 1_500, 2_000].map((lateMs) => OPENS_MS + lateMs));
    expect(await pollsAt("last", 2 ** 39 - 1)).toBe(moments.at(-1));
  });

  it("takes no newcomers once it is over; waiting visitors still enter, and admitted ones stay", async () => {
    await openQueue({ max_active: 1 });
    nowMs = CLOSES_MS - 1_000;
    const inside = await enter("inside");
    const order = await orderOfJoin("waits");
    nowMs = CLOSES_MS;
    expect(await enter("late")).toEqual({ state: "refused", reason: "over" });
    expect(await enter("inside")).toEqual({ ...inside, isNew: false });
    expect(await beat("waits", order)).toMatchObject({ state: "waiting", position: 1, opensAtMs: null });
    await line.leave({ ticketId: "inside" });
    await line.end({ sessionId: "inside", reason: "completed" });
    expect(await beat("waits", order)).toMatchObject({ state: "admitted" });
  });

  it("closes without ever having been opened by a time", async () => {
    await openQueue({ prequeue_opens_at: "null", opens_at: "null" });
    nowMs = CLOSES_MS - 1;
    expect(await enter("a")).toMatchObject({ state: "admitted" });
    nowMs = CLOSES_MS;
    expect(await enter("b")).toEqual({ state: "refused", reason: "over" });
  });
});

describe("an event's own settings", () => {
  const overrides = {
    event_max_active: 3,
    event_admission_rate: 1,
    event_admission_burst: 3,
    event_session_ttl_seconds: 60,
  };

  it("are in force from the opening to the end; others stay the queue's own", async () => {
    await openQueue({ ...overrides, max_active: 1, admission_burst: 1 });
    nowMs = OPENS_MS;
    expect(await enter("a")).toMatchObject({ state: "admitted", expiresAtMs: OPENS_MS + CLAIM_SECONDS * 1_000 });
    expect([(await enter("b")).state, (await enter("c")).state, (await enter("d")).state]).toEqual([
      "admitted",
      "admitted",
      "waiting",
    ]);
    expect(await line.touch({ sessionId: "a", views: 1, how: "renew" })).toBe(OPENS_MS + 60_000);
    nowMs = CLOSES_MS;
    await openQueue({ event_max_active: 1 });
    nowMs = OPENS_MS;
    expect(await enter("a")).toMatchObject({ state: "admitted" });
    expect(await line.touch({ sessionId: "a", views: 1, how: "note", isFirst: true })).toBe(
      OPENS_MS + SESSION_SECONDS * 1_000,
    );
    expect(await enter("b")).toMatchObject({ state: "waiting" });
  });

  it("end no session when they end: admitted visitors stay, and the queue's own cap applies from then on", async () => {
    await openQueue({ ...overrides, max_active: 1, event_session_ttl_seconds: 3_600 });
    nowMs = CLOSES_MS - 1_000;
    for (const ticketId of ["a", "b", "c"]) expect(await enter(ticketId)).toMatchObject({ state: "admitted" });
    const order = await orderOfJoin("d");
    nowMs = CLOSES_MS;
    await line.end({ sessionId: "a", reason: "completed" });
    await line.end({ sessionId: "b", reason: "completed" });
    expect(await beat("d", order)).toMatchObject({ state: "waiting" });
    expect(await redis.zcard(queueKeys(queueId).active)).toBe(1);
    await line.end({ sessionId: "c", reason: "completed" });
    expect(await beat("d", order)).toMatchObject({ state: "admitted" });
    expect(await line.touch({ sessionId: "d", views: 1, how: "note", isFirst: true })).toBe(
      CLOSES_MS + SESSION_SECONDS * 1_000,
    );
  });

  it("let in no more than their burst at the opening, however long the queue stood empty before", async () => {
    await openQueue({ ...overrides, event_max_active: 100, admission_rate: 1_000, admission_burst: 1_000 });
    nowMs = PREQUEUE_MS;
    const orders = new Map<string, number>();
    for (let index = 0; index < 10; index++) orders.set(`v${index}`, await orderOfJoin(`v${index}`));
    nowMs = OPENS_MS;
    const states = await Promise.all([...orders].map(([ticketId, order]) => beat(ticketId, order)));
    expect(states.filter(({ state }) => state === "admitted")).toHaveLength(3);
  });
});

describe("a draw", () => {
  const base = orderOf({ lane: 0, drawSpan: DRAW_SPAN, number: 0 });

  it("orders visitors who come before the opening by their draw, and keeps each place secret until then", async () => {
    await openQueue({ order: "lottery", max_active: 1 });
    nowMs = OPENS_MS - 2_000;
    for (const [ticketId, number] of [
      ["early", 900],
      ["lucky", 7],
      ["late", 2 ** 39 - 1],
    ] as const)
      expect(await enter(ticketId, number)).toMatchObject({
        state: "waiting",
        position: null,
        order: base,
        opensAtMs: OPENS_MS,
      });
    nowMs = OPENS_MS - 1_000;
    expect(await beat("early", base + 1_800)).toMatchObject({ position: null, total: 3, order: base });
    nowMs = OPENS_MS;
    expect(await beat("early", base + 1_800)).toMatchObject({ position: 2, order: base + 1_800, opensAtMs: null });
    expect(await beat("late", base + 2 ** 40 - 2)).toMatchObject({ position: 3 });
    expect(await beat("lucky", base + 14)).toMatchObject({ state: "admitted" });
  });

  it("puts later arrivals behind, first come, first served, and those from before the prequeue in front", async () => {
    await openQueue({ order: "lottery", max_active: 1, opens_at: "null", prequeue_opens_at: "null", mode: "paused" });
    nowMs = PREQUEUE_MS - 1_000;
    const before = await orderOfJoin("before");
    await configure({ opens_at: OPENS_MS, prequeue_opens_at: PREQUEUE_MS });
    nowMs = OPENS_MS - 2_000;
    expect(await beat("before", before)).toMatchObject({ position: 1, order: before, opensAtMs: OPENS_MS });
    await orderOfJoin("drawn", 5);
    nowMs = OPENS_MS;
    const [first, second] = [await orderOfJoin("after"), await orderOfJoin("later")];
    expect(await redis.zrange(queueKeys(queueId).waiting, "0", "-1")).toEqual(["before", "drawn", "after", "later"]);
    expect([placeOf(first), placeOf(second), placeOf(before)]).toEqual([undefined, undefined, undefined]);
    expect(second - first).toBe(2);
  });

  it("restores a drawn place after silence, and never draws twice for one ticket", async () => {
    await openQueue({ order: "random", max_active: 1, mode: "paused" });
    nowMs = PREQUEUE_MS;
    await enter("silent", 3);
    nowMs = OPENS_MS - 1_000;
    await enter("other", 8);
    // Long overdue, and swept away.
    nowMs = OPENS_MS + 200_000;
    await line.sweep();
    expect(await redis.zcard(queueKeys(queueId).waiting)).toBe(0);
    expect(await beat("other", base + 16)).toMatchObject({ position: 1 });
    expect(await beat("silent", base + 6)).toMatchObject({ position: 1, order: base + 6 });
    expect(await enter("silent", 3)).toMatchObject({ position: 1, order: base + 6 });
  });

  it("goes lane by lane", async () => {
    await openQueue({ order: "lottery", mode: "paused" });
    nowMs = OPENS_MS - 1_000;
    await enter("normal", 1);
    await enter("vip", 999, 2);
    expect(await redis.zrange(queueKeys(queueId).waiting, "0", "-1")).toEqual(["vip", "normal"]);
  });

  it("takes no number of another draw", async () => {
    await openQueue({ order: "lottery", draw_span: DRAW_SPAN + 2 });
    nowMs = PREQUEUE_MS;
    expect(await enter("a", 5)).toEqual({ state: "draw_changed" });
    expect(await redis.exists(queueKeys(queueId).waiting)).toBe(0);
  });

  it("writes nothing at the opening, whatever the size", async () => {
    await openQueue({ order: "lottery", max_active: 1 });
    nowMs = PREQUEUE_MS;
    for (let number = 0; number < 50; number++) await enter(`t${number}`, number * 1_000);
    const before = await redis.zrange(queueKeys(queueId).waiting, "0", "-1", "WITHSCORES");
    nowMs = OPENS_MS;
    await configure({ max_active: 0 });
    expect(await beat("t49", base + 98_000)).toMatchObject({ position: 50, order: base + 98_000 });
    expect(await redis.zrange(queueKeys(queueId).waiting, "0", "-1", "WITHSCORES")).toEqual(before);
  });
});

describe("an invite to a queue with a schedule", () => {
  const invite = { inviteId: "i", uses: 1, keptUntilMs: Date.now() + 86_400_000, person: undefined };
  const bring = (ticketId: string, { number = 0, heldOrder = -1 } = {}) =>
    line.enter({
      ticketId,
      lane: 2,
      addressHash: "a",
      ticketsPerIp: 0,
      drawn: { drawSpan: DRAW_SPAN, number },
      invite,
      heldOrder,
    });
  const isUsed = async () => (await redis.exists(`queue:{${queueId}}:invite:i`)) === 1;

  it("takes what its ticket draws into the better lane, newcomer or not", async () => {
    await openQueue({ order: "lottery" });
    nowMs = PREQUEUE_MS;
    await enter("a", 5);
    await enter("b", 9);
    await bring("b", { number: 9, heldOrder: orderOf({ lane: 0, drawSpan: DRAW_SPAN, number: 9 }) });
    const orders = await redis.zrange(queueKeys(queueId).waiting, "0", "-1", "WITHSCORES");
    const [b, a] = [
      orderOf({ lane: 2, drawSpan: DRAW_SPAN, number: 9 }),
      orderOf({ lane: 0, drawSpan: DRAW_SPAN, number: 5 }),
    ];
    expect(orders).toEqual(["b", String(b), "a", String(a)]);
  });

  it("is not used before places can be taken, nor after the event", async () => {
    await openQueue();
    nowMs = PREQUEUE_MS - 1;
    expect(await bring("a")).toMatchObject({ state: "scheduled" });
    nowMs = CLOSES_MS;
    expect(await bring("a")).toEqual({ state: "refused", reason: "over" });
    expect(await isUsed()).toBe(false);
    nowMs = OPENS_MS;
    expect(await bring("a")).toMatchObject({ state: "admitted" });
    expect(await isUsed()).toBe(true);
  });
});
