import { chmod, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { Redis } from "ioredis";
import { pino } from "pino";
import postgres from "postgres";
import { startPostgresServer } from "../../../kit/postgres-server.ts";
import { openDatabase } from "../../../origin/db/open-database.ts";
import { candlesKey, dayOf } from "../../../origin/market/keys.ts";
import { createPairMarket } from "../../../origin/market/pair-market.ts";
import { rebuildMarket } from "../../../origin/market/rebuild-market.ts";
import { openLedgerReader } from "../../../origin/record/ledger/market-trades.ts";
import { connectRedis } from "../../../origin/redis/connect.ts";
import { untilReady } from "../../../origin/redis/until-ready.ts";
import { createGuardedWrites } from "../../../origin/state/writes.ts";
import { startRedisServer } from "../../../stack/servers/redis-server.ts";
import { type BenchmarkRow, benchmarkRow } from "../benchmark.ts";
import type { MarketEffort } from "./market.ts";
import { GRID } from "./market-alone.ts";

const MEMORY_AIM_BYTES = 8 * 1024 * 1024;
const REBUILD_AIM = 150_000;
const DAY_MS = 86_400_000;
const MONTH_DAYS = 30;

/** A trade in every minute: what Redis needs for the minutes of one pair. */
export async function measureMemory(folder: string, { days }: MarketEffort): Promise<readonly BenchmarkRow[]> {
  await mkdir(folder);
  const server = await startRedisServer({ folder, fsync: "everysec" });
  const redis = new Redis(server.url);
  try {
    const market = createPairMarket("btcidr");
    const start = (dayOf(Date.now()) - days) * DAY_MS;
    let bytes = 0;
    for (let day = 0; day < days; day++) {
      for (let minute = 0; minute < 1_440; minute++) {
        const at = start + day * DAY_MS + minute * 60_000;
        const [ticks, lots] = [1_000_000 + ((minute * 37) % 999), 1 + ((minute * 7_919) % 50_000)];
        const users = { buyUser: "a", sellUser: "b", buyFee: 0n, sellFee: 0n, buyOrderId: minute, sellOrderId: 1 };
        const value = BigInt(ticks) * BigInt(lots);
        market.absorb(
          { id: day * 1_440 + minute, pair: "btcidr", grid: 1, at, ticks, lots, value, takerSide: "buy", ...users },
          GRID,
        );
      }
      const writing = redis.pipeline();
      for (const write of market.takeWrites()) writing.call(...write);
      await writing.exec();
      bytes += Number(
        await redis.call("MEMORY", "USAGE", candlesKey("btcidr", "1m", dayOf(start) + day), "SAMPLES", "0"),
      );
    }
    const month = (bytes / days) * MONTH_DAYS;
    const what = "30 days of 1m bars of one pair in Redis, against 8 MiB";
    const rows = { subjectRounds: [1 / month], baselineRounds: [1 / MEMORY_AIM_BYTES] };
    const notes = `${(month / 1024 / 1024).toFixed(2)} MiB, ${Math.round(month / MONTH_DAYS / 1_440)} bytes a bar`;
    return [{ ...benchmarkRow({ what, unit: "1/byte", aim: 1, ...rows }), notes }];
  } finally {
    redis.disconnect();
    await server.stop();
  }
}

/** All market data from the trades of a PostgreSQL server, written to a Redis. */
export async function measureRebuild(
  folder: string,
  { trades, rounds }: MarketEffort,
): Promise<readonly BenchmarkRow[]> {
  await mkdir(folder);
  for (const path of [dirname(folder), folder]) await chmod(path, 0o755);
  const server = await startPostgresServer(folder);
  const store = await startRedisServer({ folder: `${folder}/redis`, fsync: "always" });
  const log = pino({ level: "silent" });
  const [redis, writer] = [connectRedis(store.url, log), connectRedis(store.url, log, { isRaw: true })];
  // It listens to the connection from its beginning.
  const writes = createGuardedWrites(writer);
  const database = await openDatabase({ url: server.url, folder: "unused" });
  try {
    await fill(server.url, trades);
    await Promise.all([untilReady(redis, 2_000), untilReady(writer, 2_000)]);
    const perSecond: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const done = await rebuildMarket({ ledger: openLedgerReader(database), redis, writes, nowMs: Date.now(), log });
      perSecond.push((done.trades * 1_000) / done.ms);
    }
    const what = `market data rebuilt from ${trades.toLocaleString("en")} trades of the ledger, against 150,000 trades/s`;
    return [benchmarkRow({ what, unit: "trades/s", aim: 1, subjectRounds: perSecond, baselineRounds: [REBUILD_AIM] })];
  } finally {
    await database.close();
    for (const connection of [redis, writer]) connection.disconnect();
    await store.stop();
    await server.stop();
  }
}

/** Four pairs, a thousand users, the last hour. */
async function fill(url: string, trades: number): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(
    "SELECT ledger_ensure_month(now()::date); SELECT ledger_ensure_month((now() - interval '1 hour')::date)",
  );
  await sql.unsafe("INSERT INTO ledger_currencies VALUES ('btc', 8), ('idr', 2) ON CONFLICT DO NOTHING");
  await sql.unsafe(
    `INSERT INTO ledger_grids SELECT p, 1, 'btc', 'idr', 100000, 1000 FROM unnest(ARRAY['p0', 'p1', 'p2', 'p3']) p`,
  );
  await sql.unsafe(`INSERT INTO trade_ledger (trade_id, sequence, symbol, grid, buy_user_id, sell_user_id, buy_order_id,
    sell_order_id, taker_side, price, qty, value, buy_fee, sell_fee, executed_at)
    SELECT g, 1, 'p' || g % 4, 1, 'user-' || (hashint8(g) & 1023), 'user-' || (hashint8(g + 7) & 1023), 2 * g, 2 * g + 1,
      CASE g % 2 WHEN 0 THEN 'buy' ELSE 'sell' END, (1000000 + g % 999) * 1000.00::numeric(20, 2),
      0.00100000, (1000000 + g % 999) * 1.00::numeric(20, 2), 0.00000200, 1000.00,
      now() - interval '1 hour' + interval '1 hour' * (g::float8 / ${trades})
    FROM generate_series(1, ${trades}) g`);
  const hash = "A".repeat(43);
  await sql.unsafe(`INSERT INTO ledger_entries VALUES (1, '${hash}', '${hash}', '', 0, 0)`);
  await sql.unsafe("UPDATE ledger_consumer_offsets SET sequence = 1 WHERE consumer = 'ledger'");
  await sql.unsafe("VACUUM ANALYZE trade_ledger");
  await sql.end();
}
