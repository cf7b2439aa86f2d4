import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { startPostgresServer } from "../../../kit/postgres-server.ts";
import { CONSUMERS_KEY, OFFSET_KEY } from "../../../origin/journal/keys.ts";
import { startRedisServer } from "../../../stack/servers/redis-server.ts";
import { type BenchmarkRow, benchmarkRow, median } from "../benchmark.ts";

/**
 * The core at full and at half speed, with ledger and write-behind in a separate process: the share of committed orders
 * that is posted in the same time, and the ledger's lag. All processes share the machine, including PostgreSQL.
 */
export async function measureFollowing(
  folder: string,
  { followMs }: { readonly followMs: number },
): Promise<readonly BenchmarkRow[]> {
  await mkdir(folder);
  for (const path of [dirname(folder), folder]) await chmod(path, 0o755);
  const postgres = await startPostgresServer(folder);
  try {
    const full = await follow({ folder: `${folder}/full`, databaseUrl: postgres.url, rate: 0, followMs });
    const half = await follow({
      folder: `${folder}/half`,
      databaseUrl: await otherDatabase(postgres.url),
      rate: Math.round(full.ordersPerSecond / 2),
      followMs,
    });
    return [rowOf("full speed", full), rowOf("half speed", half)];
  } finally {
    await postgres.stop();
  }
}

type Followed = {
  readonly ordersPerSecond: number;
  readonly entries: { readonly committed: number; readonly posted: number };
  readonly behind: readonly number[];
  /** From the end of the load until every entry was posted; undefined if that took too long. */
  readonly caughtUpMs: number | undefined;
};

/** Below 1: the last entries are still under way at the end. */
const AIM = 0.97;

function rowOf(speed: string, { ordersPerSecond, entries, behind, caughtUpMs }: Followed): BenchmarkRow {
  const perEntry = (count: number) => (ordersPerSecond * count) / Math.max(1, entries.committed);
  const third = Math.floor(behind.length / 3);
  const [early, late] = [median(behind.slice(0, Math.max(1, third))), median(behind.slice(-Math.max(1, third)))];
  const row = benchmarkRow({
    what: `orders that the ledger posts while the core runs at ${speed}, against those committed`,
    unit: "orders/s",
    aim: AIM,
    subjectRounds: [perEntry(entries.posted)],
    baselineRounds: [ordersPerSecond],
  });
  const flat = `${early} entries behind in the first third, ${late} in the last, ${Math.max(0, ...behind)} at most`;
  const end = caughtUpMs === undefined ? "not caught up" : `caught up after ${(caughtUpMs / 1_000).toFixed(1)} s`;
  return {
    ...row,
    notes: `${end}; ${(entries.committed / Math.max(1, behind.length)).toFixed(1)} entries per look of ${LOOK_MS} ms; ${flat}`,
  };
}

const LOOK_MS = 100;
const CATCH_UP_MS_MAX = 60_000;
const LOADER = new URL("../../../stack/program/lua-loader.ts", import.meta.url).href;
const LEDGER = fileURLToPath(new URL("./ledger-process.ts", import.meta.url));
const CORE = fileURLToPath(new URL("../orders/orders-core-process.ts", import.meta.url));

type Following = {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly rate: number;
  readonly followMs: number;
};

async function follow({ folder, databaseUrl, rate, followMs }: Following): Promise<Followed> {
  const server = await startRedisServer({ folder, fsync: "always" });
  const redis = new Redis(server.url);
  const start = (file: string, more: NodeJS.ProcessEnv, stdout: "pipe" | "ignore") =>
    spawn(process.execPath, ["--import", LOADER, file], {
      env: { ...process.env, VENUE_REDIS_URL: server.url, ...more },
      stdio: ["ignore", stdout, "ignore"],
    });
  const ledger = start(LEDGER, { DATABASE_URL: databaseUrl }, "ignore");
  try {
    while ((await redis.hget(CONSUMERS_KEY, "ledger")) === null) await sleep(LOOK_MS);
    const core = start(CORE, { RATE: String(rate), DURATION_MS: String(followMs), WARM_UP_MS: "1000" }, "pipe");
    return await watch(core, redis);
  } finally {
    ledger.kill("SIGTERM");
    if (ledger.exitCode === null) await once(ledger, "exit");
    redis.disconnect();
    await server.stop();
  }
}

async function watch(core: ChildProcess, redis: Redis): Promise<Followed> {
  const position = async () => {
    const [committed, posted] = await Promise.all([
      redis.hget(OFFSET_KEY, "sequence"),
      redis.hget(CONSUMERS_KEY, "ledger"),
    ]);
    return { committed: Number(committed ?? 0), posted: Number(posted ?? 0) };
  };
  const behind: number[] = [];
  let first: Awaited<ReturnType<typeof position>> | undefined;
  let figures: { ordersPerSecond: number } | undefined;
  const lines = createInterface({ input: core.stdout as NodeJS.ReadableStream });
  lines.on("line", (line) => {
    if (line === "measuring") void position().then((at) => (first = at));
    else figures = JSON.parse(line) as { ordersPerSecond: number };
  });
  let last = await position();
  while (core.exitCode === null && figures === undefined) {
    await sleep(LOOK_MS);
    last = await position();
    if (first !== undefined) behind.push(last.committed - last.posted);
  }
  const from = first ?? { committed: 0, posted: 0 };
  const entries = { committed: last.committed - from.committed, posted: last.posted - from.posted };
  const endedMs = performance.now();
  let isCaughtUp = false;
  while (!isCaughtUp && performance.now() - endedMs < CATCH_UP_MS_MAX) {
    isCaughtUp = (await position()).posted >= last.committed;
    if (!isCaughtUp) await sleep(LOOK_MS);
  }
  const caughtUpMs = isCaughtUp ? performance.now() - endedMs : undefined;
  return { ordersPerSecond: figures?.ordersPerSecond ?? Number.NaN, entries, behind, caughtUpMs };
}

/** The second run has a new journal, so it needs a new ledger. */
async function otherDatabase(url: string): Promise<string> {
  const { default: postgres } = await import("postgres");
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe("CREATE DATABASE half");
  await sql.end();
  return `${url.replace(/\/[^/]*$/, "")}/half`;
}
