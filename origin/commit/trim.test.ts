import { Redis } from "ioredis";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { borrowRedis, type TestServer } from "../../kit/borrowed-servers.ts";
import { followJournal, type Run } from "../journal/follow-journal.ts";
import { COMMANDS_KEY, CONSUMERS_KEY, JOURNAL_KEY } from "../journal/keys.ts";
import { connectRedis } from "../redis/connect.ts";
import { PROJECTED_KEY } from "../state/keys.ts";
import { createTrimming } from "./trim.ts";

let server: TestServer;
let redis: Redis;
beforeAll(async () => {
  server = await borrowRedis({ fsync: "no" });
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
});

const MINUTE_MS = 60_000;
const ENTRIES = 1_000;
/** Redis lets go of whole nodes of a stream only, and a node holds a hundred entries. */
const NODE = 100;

async function fill(): Promise<void> {
  await redis.flushall();
  const pipeline = redis.pipeline();
  for (let sequence = 1; sequence <= ENTRIES; sequence++) pipeline.xadd(JOURNAL_KEY, `${sequence}-0`, "b", "x");
  for (let entry = 1; entry <= ENTRIES; entry++) pipeline.xadd(COMMANDS_KEY, `${entry}-0`, "c", "x");
  await pipeline.exec();
}

const firstLeft = async (key: string) => Number((await redis.xrange(key, "-", "+", "COUNT", 1))[0]?.[0].split("-")[0]);

const committed = { sequence: ENTRIES, hash: "", command: `${ENTRIES}-0-3` };

it("trims commands once they are committed, and keeps the last append for the next engine to check", async () => {
  await fill();
  const trimming = createTrimming(redis, () => 0);
  await trimming.run();
  expect(await firstLeft(COMMANDS_KEY)).toBe(1);
  trimming.note({ ...committed, command: "501-0-3" }, 1);
  await trimming.run();
  expect(await firstLeft(COMMANDS_KEY)).toBeGreaterThan(501 - NODE);
  expect(await firstLeft(COMMANDS_KEY)).toBeLessThanOrEqual(501);
});

it("keeps the journal for some minutes, and longer for a consumer that has not read it", async () => {
  await fill();
  let nowMs = 0;
  const trimming = createTrimming(redis, () => nowMs);
  trimming.note(committed, 1);
  await redis.hset(PROJECTED_KEY, "sequence", ENTRIES);
  await redis.hset(CONSUMERS_KEY, "ledger", 450);
  nowMs = 4 * MINUTE_MS;
  await trimming.run();
  expect(await firstLeft(JOURNAL_KEY)).toBe(1);
  nowMs = 6 * MINUTE_MS;
  await trimming.run();
  expect(await firstLeft(JOURNAL_KEY)).toBeGreaterThan(1);
  expect(await firstLeft(JOURNAL_KEY)).toBeLessThanOrEqual(451);
});

it("keeps everything while nothing has been projected", async () => {
  await fill();
  let nowMs = 0;
  const trimming = createTrimming(redis, () => nowMs);
  trimming.note(committed, 1);
  nowMs = 10 * MINUTE_MS;
  await trimming.run();
  expect(await firstLeft(JOURNAL_KEY)).toBe(1);
});

it("trims the journal early when it takes too much memory, but never entries that a consumer has not read", async () => {
  await fill();
  let nowMs = 0;
  const trimming = createTrimming(redis, () => nowMs);
  await redis.hset(PROJECTED_KEY, "sequence", 700);
  for (const sequence of [300, 600, 900]) {
    trimming.note({ ...committed, sequence }, 400 * 1024 * 1024);
    nowMs += 10_000;
  }
  await trimming.run();
  // A signed request of the last minute must not be carried out twice, also after a start.
  expect(await firstLeft(JOURNAL_KEY)).toBe(1);
  nowMs = MINUTE_MS;
  await trimming.run();
  expect(await firstLeft(JOURNAL_KEY)).toBeGreaterThan(300 - NODE);
  expect(await firstLeft(JOURNAL_KEY)).toBeLessThanOrEqual(701);
});

it("waits for a registered consumer, also before its position is known", async () => {
  await fill();
  let nowMs = 0;
  const trimming = createTrimming(redis, () => nowMs);
  trimming.note(committed, 1);
  await redis.hset(PROJECTED_KEY, "sequence", ENTRIES);
  const { promise: opened, resolve: open } = Promise.withResolvers<Run<never, { readonly sequence: number }>>();
  const log = pino({ level: "silent" });
  const registry = connectRedis(server.url, log);
  const following = followJournal({ name: "candles", open: () => opened, connections: [registry], registry, log });
  await expect.poll(() => redis.hget(CONSUMERS_KEY, "candles")).toBe("0");
  expect(following.state().isFailing).toBe(false);
  nowMs = 4 * MINUTE_MS;
  await trimming.run();
  expect(await firstLeft(JOURNAL_KEY)).toBe(1);
  trimming.note(committed, 1);
  open({ position: { sequence: 450 }, next: async () => [], take: async () => undefined });
  await expect.poll(() => redis.hget(CONSUMERS_KEY, "candles")).toBe("450");
  await following.stop();
  registry.disconnect();
  nowMs = 8 * MINUTE_MS;
  await trimming.run();
  expect(await firstLeft(JOURNAL_KEY)).toBeGreaterThan(450 - NODE);
  expect(await firstLeft(JOURNAL_KEY)).toBeLessThanOrEqual(451);
});
