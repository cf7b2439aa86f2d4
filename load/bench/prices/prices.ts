import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startPostgresServer } from "../../../kit/postgres-server.ts";
import type { Database } from "../../../origin/db/database.ts";
import { openDatabase } from "../../../origin/db/open-database.ts";
import { DEFAULT_SCHEDULE } from "../../../origin/prices/calendar/schedule.ts";
import { applyFetch } from "../../../origin/prices/fetch/apply-fetch.ts";
import { seedPrices } from "../../../origin/prices/fetch/seed.ts";
import { readHistory } from "../../../origin/prices/history/read-history.ts";
import { FIRST_ITEMS } from "../../../origin/prices/items/first-items.ts";
import { listItems, putItems } from "../../../origin/prices/items/item-queries.ts";
import { listProviders } from "../../../origin/prices/providers/provider-queries.ts";
import { freePort } from "../../../stack/servers/free-port.ts";
import { alternate, type Benchmark, type BenchmarkRow, benchmarkRow, median } from "../benchmark.ts";
import { measureFaultless } from "../http/http-load.ts";
import { type NodeServer, startNodeServer } from "../http/node-server.ts";

/**
 * Tracked prices: the board's API with 200 items compared with a route that does nothing, in the server's processor
 * time; five years of one item by the day out of ten million bars, compared with the 20 ms that it may take; and a fetch
 * cycle of 200 items, compared with as many single updates, each in one transaction.
 */
export const pricesBenchmark: Benchmark = {
  name: "prices",
  run: async ({ quick }) => {
    const effort = quick ? QUICK : FULL;
    const rows = [await compareBoard(effort)];
    const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
    // PostgreSQL does not run as root, and its user has to get to its folder.
    await chmod(folder, 0o755);
    const server = await startPostgresServer(folder, { isDurable: false });
    const database = await openDatabase({ url: server.url, folder });
    try {
      rows.push(await compareHistory(database, effort), await compareFetch(database, effort));
    } finally {
      await database.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
    return rows;
  },
};

const FULL = { rounds: 5, durationMs: 2_000, bars: 10_000_000, questions: 40, cycles: 20 };
const QUICK = { rounds: 1, durationMs: 300, bars: 20_000, questions: 5, cycles: 2 };
type Effort = typeof FULL;

const ITEMS = 200;
const BOARD_AIM = 0.6;
const HISTORY_MS_MAX = 20;
const CONNECTIONS = 20;
const SUBJECT_CORE = 1;
const LOAD_CORE = 0;
const LUA_LOADER = fileURLToPath(new URL("../../../stack/program/lua-loader.ts", import.meta.url));

async function compareBoard({ rounds, durationMs }: Effort): Promise<BenchmarkRow> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startNodeServer({
    core: SUBJECT_CORE,
    file: fileURLToPath(new URL("./prices-server.ts", import.meta.url)),
    environment: { NODE_OPTIONS: `--import=${LUA_LOADER}`, PORT: String(port), ITEMS: String(ITEMS) },
    url,
    readyPath: "/api/v1/nothing",
  });
  try {
    const measure = (path: string) => measureCpu(server, { url: url + path, durationMs });
    for (const path of ["/api/v1/prices", "/api/v1/nothing"]) await measure(path);
    const measured = await alternate({
      rounds,
      subject: () => measure("/api/v1/prices"),
      baseline: () => measure("/api/v1/nothing"),
    });
    const what = `GET /prices with ${ITEMS} items, against a route that does nothing`;
    const bytes = (await (await fetch(`${url}/api/v1/prices`)).arrayBuffer()).byteLength;
    const row = benchmarkRow({ what, unit: "per second of the origin's time", aim: BOARD_AIM, ...measured });
    return { ...row, notes: `${Math.round(bytes / 1_000)} kB an answer` };
  } finally {
    await server.stop();
  }
}

async function measureCpu(
  server: NodeServer,
  { url, durationMs }: { url: string; durationMs: number },
): Promise<number> {
  const before = server.cpuSeconds();
  const { answers } = await measureFaultless({
    url,
    connections: CONNECTIONS,
    durationMs,
    warmUpMs: 0,
    core: LOAD_CORE,
  });
  return answers / (server.cpuSeconds() - before);
}

/** Every item has the three tiers of five years: 1,735 days, 1,992 hours, 1,008 tens of minutes. */
const BARS_PER_ITEM = 4_735;
const FILL = `INSERT INTO historical_ohlc (item_code, item_type, timeframe, opened_at, date, open, high, low, close, data_points, expected_points, is_complete, has_missing_data, source)
  SELECT 'bench_' || i, 'currency', t.timeframe, t.at, (t.at AT TIME ZONE 'Asia/Tehran')::date, 1135200 + b, 1141500 + b, 1132800 + b, 1135300 + b, 1, 1, true, false, 'api'
  FROM generate_series($1::int, $2::int) i, LATERAL (
    SELECT '1d' AS timeframe, timestamptz '2026-08-20 20:30:00+00' - b * interval '1 day' AS at, b FROM generate_series(1, 1735) b
    UNION ALL SELECT '1h', timestamptz '2026-11-11 20:30:00+00' - b * interval '1 hour', b FROM generate_series(1, 1992) b
    UNION ALL SELECT '10m', timestamptz '2026-11-18 20:30:00+00' - b * interval '10 minutes', b FROM generate_series(1, 1008) b
  ) t`;
const NOW_MS = Date.parse("2026-11-18T20:30:00Z");
const ITEMS_AT_ONCE = 50;
const FILL_MS_MAX = 600_000;

async function compareHistory(database: Database, { bars, questions, rounds }: Effort): Promise<BenchmarkRow> {
  const items = Math.max(1, Math.round(bars / BARS_PER_ITEM));
  for (let from = 1; from <= items; from += ITEMS_AT_ONCE)
    await database.transaction((tx) => tx.query(FILL, [from, Math.min(items, from + ITEMS_AT_ONCE - 1)]), FILL_MS_MAX);
  await database.transaction((tx) => tx.script("ANALYZE historical_ohlc"), FILL_MS_MAX);
  let read = 0;
  const measure = async () => {
    const tookMs: number[] = [];
    for (let question = 0; question < questions; question++) {
      const itemCode = `bench_${1 + ((question * 7_919) % items)}`;
      const beganMs = performance.now();
      read = (await readHistory(database, { itemCode, range: "5y", nowMs: NOW_MS })).length;
      tookMs.push(performance.now() - beganMs);
    }
    return 1_000 / median(tookMs);
  };
  await measure();
  const allowed = async () => 1_000 / HISTORY_MS_MAX;
  const measured = await alternate({ rounds, subject: measure, baseline: allowed });
  const what = `five years by the day out of ${(items * BARS_PER_ITEM).toLocaleString("en-GB")} bars, against ${HISTORY_MS_MAX} ms`;
  const row = benchmarkRow({ what, unit: "queries/s, by the median", aim: 1, ...measured });
  return { ...row, notes: `${(1_000 / row.subjectMedian).toFixed(1)} ms and ${read} bars a query` };
}

async function compareFetch(database: Database, { cycles, rounds }: Effort): Promise<BenchmarkRow> {
  await seedPrices(database, { nowMs: NOW_MS, withDemo: true });
  const extra = Array.from({ length: ITEMS - FIRST_ITEMS.length }, (_, index) => ({
    ...(FIRST_ITEMS[0] as (typeof FIRST_ITEMS)[number]),
    itemCode: `extra_${index}`,
  }));
  await database.transaction((tx) => putItems(tx, extra, false));
  const items = await listItems.all(database, {});
  const row = (await listProviders.all(database, {})).find(({ provider }) => provider === "demo");
  if (row === undefined) throw new Error("the demo is an included provider");
  let nowMs = NOW_MS;
  const cycle = async () => {
    nowMs += 600_000;
    const quotes = items.map(({ itemCode, unit }) => ({ key: itemCode, price: "1135200", unit }));
    const outcome = { row: { ...row, acceptsJumps: true }, items, fetched: { ok: true, value: quotes } as const };
    const times = { schedule: DEFAULT_SCHEDULE, nowMs, fetchMs: 1, nextDueMs: nowMs + 600_000 };
    await applyFetch(database, { ...outcome, ...times });
  };
  const updates = () =>
    database.transaction(async (tx) => {
      for (const { itemCode } of items)
        await tx.query("UPDATE current_prices SET price = price WHERE item_code = $1", [itemCode]);
    }, FILL_MS_MAX);
  const measure = (work: () => Promise<void>) => async () => {
    const beganMs = performance.now();
    for (let count = 0; count < cycles; count++) await work();
    return (1_000 * cycles) / (performance.now() - beganMs);
  };
  await cycle();
  const measured = await alternate({ rounds, subject: measure(cycle), baseline: measure(updates) });
  const what = `a fetch cycle of ${items.length} items in one transaction, against ${items.length} single updates in one`;
  const result = benchmarkRow({ what, unit: "cycles/s", aim: 0, ...measured });
  return { ...result, notes: `${(1_000 / result.subjectMedian).toFixed(0)} ms a cycle` };
}
