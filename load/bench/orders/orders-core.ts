import type { SpawnOptions } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { assert } from "../../../shared/assert.ts";
import { type RedisServer, startRedisServer } from "../../../stack/servers/redis-server.ts";
import { alternate, type BenchmarkRow, benchmarkRow, median } from "../benchmark.ts";
import type { LatencySummary } from "../latencies.ts";
import { pinProcess, spawnPinned } from "../pinned.ts";
import { redisBenchmark } from "../redis-benchmark.ts";
import { commitMicros } from "./commit-cost.ts";

/**
 * The order path without HTTP, from command to answer, with projections: all roles in one process, as `npm start` runs
 * them, on one core, and Redis on the other. The baseline is `redis-benchmark` with the same fsync setting on the same
 * server: fifty clients that each wait for one SET. It compares single durable writes with group commit.
 */
export async function measureCore(effort: CoreEffort): Promise<readonly BenchmarkRow[]> {
  const rows: BenchmarkRow[] = [];
  for (const fsync of effort.fsyncs) rows.push(...(await measureWith(fsync, effort)));
  return rows;
}

type Fsync = "always" | "everysec";

export type CoreEffort = {
  readonly fsyncs: readonly Fsync[];
  readonly rounds: number;
  readonly durationMs: number;
  readonly warmUpMs: number;
  readonly sets: number;
};

const REDIS_CORE = 0;
const ORIGIN_CORE = 1;
const CLIENTS = 50;
const THROUGHPUT_AIM = 1;
const P99_MS_AIM = 5;
const COMMIT_MICROS_AIM = 3;

type CoreFigures = LatencySummary & {
  readonly ordersPerSecond: number;
  readonly orders: number;
  readonly cpuMicrosPerOrder: number;
  readonly failed: number;
  readonly projections: string;
  /** How far market data was behind; empty without it. */
  readonly market: string;
  /** Time of Redis' main thread for all calls of an order. */
  readonly redisMicrosPerOrder: number;
};

async function measureWith(fsync: Fsync, effort: CoreEffort): Promise<readonly BenchmarkRow[]> {
  const full: CoreFigures[] = [];
  const commits: number[] = [];
  const sets: number[] = [];
  const rounds = await alternate({
    rounds: effort.rounds,
    subject: () =>
      onFreshRedis(fsync, async (server) => {
        const figures = await runCore(server, { ...effort, rate: 0 });
        full.push(figures);
        commits.push(await onFreshRedis("everysec", (other) => commitMicros(server, other)));
        return figures.ordersPerSecond;
      }),
    baseline: async () => {
      const { perSecond, redisMicros } = await setsOf(effort.sets, fsync);
      sets.push(redisMicros);
      return perSecond;
    },
  });
  const rate = Math.round(median(rounds.subjectRounds) / 2);
  const cpu = median(full.map(({ cpuMicrosPerOrder }) => cpuMicrosPerOrder));
  const redisCpu = median(full.map(({ redisMicrosPerOrder }) => redisMicrosPerOrder));
  const row = benchmarkRow({
    what: `orders, core only, fsync ${fsync}, against redis-benchmark SET -c 50 -P 1`,
    unit: "orders/s",
    aim: THROUGHPUT_AIM,
    ...rounds,
  });
  const notes = `${cpu.toFixed(1)} µs of Node per order, load included, and ${redisCpu.toFixed(1)} µs of Redis, where a SET takes ${median(sets).toFixed(1)}; at the end the projections were ${full.map(({ projections }) => projections).join(", ")}`;
  return [
    { ...row, notes },
    ...(await measureSlowest({ fsync, rate, effort })),
    single({
      what: `Redis' time for the commits only, fsync ${fsync}, against ${COMMIT_MICROS_AIM} µs per order`,
      unit: "orders per ms of Redis' time",
      subject: 1_000 / median(commits),
      baseline: 1_000 / COMMIT_MICROS_AIM,
    }),
  ];
}

type Slowest = { readonly fsync: Fsync; readonly rate: number; readonly effort: CoreEffort };

/** The p99 contains stalls of the machine: SETs with the same arrivals show how much. */
async function measureSlowest({ fsync, rate, effort }: Slowest): Promise<readonly BenchmarkRow[]> {
  const orders: CoreFigures[] = [];
  const sets: LatencySummary[] = [];
  const rounds = await alternate({
    rounds: effort.rounds,
    subject: () =>
      onFreshRedis(fsync, async (server) => 1 / noted(orders, await runCore(server, { ...effort, rate })).p99Ms),
    baseline: () =>
      onFreshRedis(fsync, async (server) => 1 / noted(sets, await runSets(server, { ...effort, rate })).p99Ms),
  });
  const cpu = median(orders.map(({ cpuMicrosPerOrder }) => cpuMicrosPerOrder));
  const row = benchmarkRow({
    what: `p99 at half of that rate, fsync ${fsync}, against ${P99_MS_AIM} ms`,
    unit: "1/ms",
    aim: 1,
    subjectRounds: rounds.subjectRounds,
    baselineRounds: [1 / P99_MS_AIM],
  });
  const floor = benchmarkRow({
    what: `the same, fsync ${fsync}, against the p99 of as many SETs that arrive in the same way`,
    unit: "1/ms",
    aim: 0,
    ...rounds,
  });
  return [
    {
      ...row,
      notes: `${rate} orders/s arrive (open model): ${orders.map(latencyText).join("; ")}; ${cpu.toFixed(1)} µs of Node per order`,
    },
    { ...floor, notes: `the SETs: ${sets.map(latencyText).join("; ")}` },
  ];
}

function noted<Figures>(all: Figures[], figures: Figures): Figures {
  all.push(figures);
  return figures;
}

const latencyText = ({ p50Ms, p99Ms, p999Ms }: LatencySummary) => `p50 ${p50Ms}, p99 ${p99Ms}, p99.9 ${p999Ms} ms`;

function setsOf(requests: number, fsync: Fsync) {
  return onFreshRedis(fsync, async ({ port, url }) => {
    const perSecond = await redisBenchmark({
      command: "SET",
      port,
      clients: CLIENTS,
      depth: 1,
      requests,
      core: ORIGIN_CORE,
    });
    return { perSecond, redisMicros: (await processorMicros(url)) / requests };
  });
}

/** Processor time of Redis' main thread since its start; background rewrites run in another process. */
async function processorMicros(url: string): Promise<number> {
  const redis = new Redis(url);
  const info = await redis.info("cpu");
  redis.disconnect();
  const seconds = ["user", "sys"].map((kind) =>
    Number(new RegExp(`used_cpu_${kind}_main_thread:([\\d.]+)`).exec(info)?.[1]),
  );
  assert(seconds.every(Number.isFinite), "Redis reports the time of its main thread");
  return 1_000_000 * seconds.reduce((sum, each) => sum + each, 0);
}

function single({
  what,
  unit,
  subject,
  baseline,
}: {
  what: string;
  unit: string;
  subject: number;
  baseline: number;
}): BenchmarkRow {
  return benchmarkRow({ what, unit, aim: 1, subjectRounds: [subject], baselineRounds: [baseline] });
}

export async function onFreshRedis<Figure>(
  fsync: Fsync,
  measure: (server: RedisServer) => Promise<Figure>,
): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
  const server = await startRedisServer({ folder, fsync });
  pinProcess(server.child.pid, REDIS_CORE);
  try {
    return await measure(server);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const ORDERS = fileURLToPath(new URL("./orders-core-process.ts", import.meta.url));
const SETS = fileURLToPath(new URL("./orders-sets-process.ts", import.meta.url));
/** Printed when the warm-up is over. */
const MEASURING = "measuring";
const LOADER = new URL("../../../stack/program/lua-loader.ts", import.meta.url).href;

type Run = CoreEffort & {
  readonly rate: number;
  /** Market data in the same process. */
  readonly withMarket?: boolean;
};

/** The output lines of a separate process. */
function startRun(file: string, server: RedisServer, run: Run): AsyncIterable<string> {
  const env = {
    ...process.env,
    ...{
      VENUE_REDIS_URL: server.url,
      RATE: String(run.rate),
      DURATION_MS: String(run.durationMs),
      WARM_UP_MS: String(run.warmUpMs),
      MARKET: run.withMarket === true ? "1" : "",
    },
  };
  const spawnOptions: SpawnOptions = { env, stdio: ["ignore", "pipe", "ignore"] };
  const child = spawnPinned({
    core: ORIGIN_CORE,
    command: process.execPath,
    args: ["--import", LOADER, file],
    spawnOptions,
  });
  assert(child.stdout !== null, "the process has a pipe");
  return createInterface({ input: child.stdout });
}

export async function runCore(server: RedisServer, run: Run): Promise<CoreFigures> {
  let last = "";
  let microsBefore = 0;
  for await (const line of startRun(ORDERS, server, run)) {
    if (line === MEASURING) microsBefore = await processorMicros(server.url);
    last = line;
  }
  const figures = JSON.parse(last) as Omit<CoreFigures, "redisMicrosPerOrder">;
  if (figures.failed > 0) throw new Error(`${figures.failed} orders were not committed: the figure would mean nothing`);
  return { ...figures, redisMicrosPerOrder: ((await processorMicros(server.url)) - microsBefore) / figures.orders };
}

async function runSets(server: RedisServer, run: Run): Promise<LatencySummary> {
  let last = "";
  for await (const line of startRun(SETS, server, run)) last = line;
  return JSON.parse(last) as LatencySummary;
}
