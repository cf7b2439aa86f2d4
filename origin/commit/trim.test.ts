import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../../test/parts/temporary-folder.ts";
import { COMMANDS_KEY } from "../commands/keys.ts";
import { PROJECTED_KEY } from "../projections/keys.ts";
import { type RedisServer, startRedisServer } from "../stack/redis-server.ts";
import { CONSUMERS_KEY, JOURNAL_KEY } from "./keys.ts";
import { createTrimming } from "./trim.ts";

let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedisServer({ folder: await temporaryFolder(), fsync: "no" });
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
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

it("lets go of commands once they are committed, and keeps the last append for the next engine to look at", async () => {
  await fill();
  const trimming = createTrimming(redis, () => 0);
  await trimming.run();
  expect(await firstLeft(COMMANDS_KEY)).toBe(1);
  trimming.note({ ...committed, command: "501-0-3" }, 1);
  await trimming.run();
  expect(await firstLeft(COMMANDS_KEY)).toBeGreaterThan(501 - NODE);
  expect(await firstLeft(COMMANDS_KEY)).toBeLessThanOrEqual(501);
});

it("keeps the journal for some minutes, and longer for whoever has not read it", async () => {
  await fill();
  let nowMs = 0;
  const trimming = createTrimming(redis, () => nowMs);
  trimming.note(committed, 1);
  await redis.hset(PROJECTED_KEY, "sequence", ENTRIES);
  await redis.hset(CONSUMERS_KEY, "ledger", 450);
  nowMs = 2 * MINUTE_MS;
  await trimming.run();
  expect(await firstLeft(JOURNAL_KEY)).toBe(1);
  nowMs = 4 * MINUTE_MS;
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

it("lets go of the journal before its time when it takes too much room, and not of what nobody has read", async () => {
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
