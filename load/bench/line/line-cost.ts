import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { type Line, openLine } from "../../../edge/line/line.ts";
import { writeSettings } from "../../../kit/line-settings.ts";
import { seededRandom } from "../../../kit/random.ts";
import { scriptRunner } from "../../../origin/redis/script-runner.ts";
import { startRedisServer } from "../../../stack/servers/redis-server.ts";
import { type Benchmark, type BenchmarkRow, benchmarkRow } from "../benchmark.ts";
import { pinProcess } from "../pinned.ts";
import { fillLine, memberOf } from "./line-fill.ts";

/**
 * The cost of a line in Redis: the time of a poll by the length of the line, as Redis counts it, and the memory per
 * waiting visitor. No visitor is admitted, as for most of a long line.
 */
export const lineCostBenchmark: Benchmark = {
  name: "line-cost",
  run: async ({ quick }) => {
    const effort = quick ? QUICK : FULL;
    const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
    const server = await startRedisServer({ folder, fsync: "no" });
    pinProcess(server.child.pid, REDIS_CORE);
    const redis = new Redis(server.url);
    try {
      const lines = [];
      for (const size of effort.sizes) lines.push(await openFullLine(redis, size));
      return await compareCosts(redis, { lines, effort });
    } finally {
      redis.disconnect();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const FULL = { sizes: [1_000, 100_000, 1_000_000], rounds: 7, polls: 20_000 } as const;
const QUICK = { sizes: [100, 1_000, 10_000], rounds: 1, polls: 1_000 } as const;

const REDIS_CORE = 1;
const POLLS_AT_ONCE = 100;
const TICKET_LIFE_MS = 3_600_000;
/** A poll in the longest line costs at most twice as much as in the shortest. */
const GROWTH_AIM = 0.5;
const BYTES_PER_VISITOR_MAX = 260;
const MEBIBYTE = 2 ** 20;

type FullLine = { readonly size: number; readonly line: Line; readonly bytesPerVisitor: number };

async function openFullLine(redis: Redis, size: number): Promise<FullLine> {
  const queueId = `line-${size}`;
  const times = { sessionTtlSeconds: 3_600, claimSeconds: 20, heartbeatTtlSeconds: 60 };
  const settings = { mode: "active", maxActive: 1, rate: 10, burst: 10, maxQueueSize: size + 1, ...times } as const;
  await writeSettings(redis, { queueId, settings });
  const line = openLine({
    store: scriptRunner(redis),
    queueId,
    ticketLifeMs: TICKET_LIFE_MS,
    random: seededRandom(size).next,
  });
  // Take the only slot.
  await line.enter({ ticketId: "inside", lane: 0, addressHash: "", ticketsPerIp: 0 });
  const before = await usedMemory(redis);
  await fillLine(redis, { queueId, size });
  return { size, line, bytesPerVisitor: ((await usedMemory(redis)) - before) / size };
}

type Comparison = { readonly lines: readonly FullLine[]; readonly effort: typeof FULL | typeof QUICK };

async function compareCosts(redis: Redis, { lines, effort }: Comparison): Promise<BenchmarkRow[]> {
  const rounds = new Map(lines.map((line) => [line, [] as number[]]));
  for (let round = 0; round < effort.rounds; round++) {
    // The order alternates, so that no line always comes first.
    const turn = round % 2 === 0 ? lines : lines.toReversed();
    for (const line of turn)
      rounds.get(line)?.push(await pollsPerRedisSecond(redis, { line, polls: effort.polls, seed: round }));
  }
  const [shortest, ...longer] = lines;
  const longest = lines.at(-1);
  if (shortest === undefined || longest === undefined) return [];
  const costs = longer.map((line) =>
    benchmarkRow({
      what: `a poll with ${count(line.size)} waiting, against one with ${count(shortest.size)}`,
      unit: "polls per second of Redis' time",
      aim: GROWTH_AIM,
      subjectRounds: rounds.get(line) ?? [],
      baselineRounds: rounds.get(shortest) ?? [],
    }),
  );
  return [...costs, memoryRow(longest)];
}

function memoryRow({ size, bytesPerVisitor }: FullLine): BenchmarkRow {
  const row = benchmarkRow({
    what: `memory of a waiting visitor, among ${count(size)}, against ${BYTES_PER_VISITOR_MAX} bytes`,
    unit: "visitors/MiB",
    aim: 1,
    subjectRounds: [MEBIBYTE / bytesPerVisitor],
    baselineRounds: [MEBIBYTE / BYTES_PER_VISITOR_MAX],
  });
  return { ...row, notes: `${bytesPerVisitor.toFixed(0)} bytes per visitor` };
}

type Polls = { readonly line: FullLine; readonly polls: number; readonly seed: number };

async function pollsPerRedisSecond(redis: Redis, { line: { line, size }, polls, seed }: Polls): Promise<number> {
  const random = seededRandom(seed + size);
  await redis.config("RESETSTAT");
  for (let sent = 0; sent < polls; sent += POLLS_AT_ONCE) {
    const members = Array.from({ length: POLLS_AT_ONCE }, () => memberOf(random.between(1, size)));
    const answers = await Promise.all(members.map((member) => line.beat(member)));
    if (!answers.every(({ state }) => state === "waiting"))
      throw new Error("a visitor was admitted: the figure would mean nothing");
  }
  const stats = /cmdstat_evalsha:calls=(\d+),usec=(\d+)/.exec(await redis.info("commandstats"));
  return (Number(stats?.[1]) * 1_000_000) / Number(stats?.[2]);
}

async function usedMemory(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1]);
}

function count(size: number): string {
  return size.toLocaleString("en-GB");
}
