import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { candleArchive } from "../../origin/market/history/candle-archive.ts";
import { openColdRows } from "../../origin/market/history/cold-rows.ts";
import { keepHistory, rollUpTiers } from "../../origin/market/history/keep-history.ts";
import { repairCandles } from "../../origin/market/history/repair-candles.ts";
import { candlesKey, dayOf } from "../../origin/market/keys.ts";
import { readCandles } from "../../origin/market/read/candle-query.ts";
import { folderArchive } from "../../origin/record/archive/folder-archive.ts";
import { openLedgerReader } from "../../origin/record/ledger/market-trades.ts";
import { rowsOf, silentLog } from "../ledger/ledger-stores.ts";
import { type MarketWorld, openMarketWorld } from "./market-stores.ts";

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
/** Four days of trades, then a look at them from later days. */
const START = TODAY - 5 * DAY_MS;
const GRID = { pair: "btcidr", grid: 1, baseCurrency: "btc", quoteCurrency: "idr", baseScale: 8, quoteScale: 2 };
const PAIR = { ...GRID, tickSteps: 100_000n, lotSteps: 1_000n };

describe("older candles", () => {
  let market: MarketWorld;
  let now = TODAY;
  let history: ReturnType<typeof keepHistory>;
  let read: (frame: "1m" | "1h" | "1d" | "4h" | "1w") => Promise<readonly string[]>;
  const tiers = async () =>
    (
      await rowsOf(
        market.database,
        "SELECT tf, count(*)::int AS bars, sum(trades)::int AS trades, bool_or(has_missing_data) AS missing FROM market_ohlc WHERE symbol = 'btcidr' GROUP BY tf ORDER BY tf",
      )
    ).map((row) => Object.values(row).join(" "));

  beforeAll(async () => {
    market = await openMarketWorld({ seed: 5, atMs: START, stepMs: 900_000 });
    const projection = market.project();
    for (let round = 0; round < 4; round++) await market.commit(96);
    await market.settled();
    await projection.stop();
    const { database, redis } = market;
    const archive = candleArchive(folderArchive(await temporaryFolder()));
    const repair = (range: Parameters<typeof repairCandles>[1]) =>
      repairCandles({ database, redis, ledger: openLedgerReader(database), nowMs: now }, range);
    const parts = { database, redis, archive, nowMs: () => now };
    history = keepHistory({ ...parts, repair, log: silentLog, intervalMs: 1_000_000 });
    await history.flush();
    const cold = openColdRows({ ...parts, scalesOf: async () => PAIR });
    const query = {
      pair: PAIR,
      zone: undefined,
      from: START - DAY_MS,
      to: undefined,
      limit: 1_000,
      fill: "none",
    } as const;
    read = async (frame) => {
      const found = await readCandles({ redis, cold, nowMs: () => now }, { ...query, frame });
      return found.ok ? found.value.rows.map(({ openTime, text }) => `${openTime} ${text}`) : [found.reason];
    };
  }, 60_000);

  it("are in PostgreSQL and in the archive, exactly", async () => {
    const [row] = await tiers();
    expect(row).toMatch(/^10m [1-9]\d+ [1-9]\d+ false$/);
    expect(
      await rowsOf(market.database, "SELECT symbol FROM candle_archives WHERE symbol = 'btcidr'"),
    ).not.toHaveLength(0);
    expect(history.state()).toEqual({ tradesBehind: 0, isFailing: false });
  });

  it("are rolled up without a loss, also when it is done twice, and read the same across all stores", async () => {
    const before = {
      days: await read("1d"),
      hours: await read("1h"),
      minutes: await read("1m"),
      four: await read("4h"),
    };
    expect(before.days.length).toBeGreaterThan(3);
    // Thirty-five days later Redis has none of them: hours come from the table, minutes from the archive.
    now = TODAY + 35 * DAY_MS;
    await rollUpTiers(market.database, now);
    const rolled = await tiers();
    expect(rolled).toHaveLength(1);
    expect(rolled[0]).toMatch(/^1h /);
    await rollUpTiers(market.database, now);
    expect(await tiers()).toEqual(rolled);
    const archived = (await rowsOf(market.database, "SELECT day FROM candle_archives WHERE symbol = 'btcidr'")).map(
      ({ day }) => day,
    );
    const ofArchived = (rows: readonly string[]) =>
      rows.filter((row) => archived.includes(dayOf(Number(row.split(" ")[0]))));
    expect(await read("1d")).toEqual(before.days);
    expect(await read("1h")).toEqual(before.hours);
    expect(await read("4h")).toEqual(before.four);
    expect(await read("1m")).toEqual(ofArchived(before.minutes));
    // A hundred days later only days are left in the table.
    now = TODAY + 100 * DAY_MS;
    await rollUpTiers(market.database, now);
    expect((await tiers())[0]).toMatch(/^1d .* false$/);
    expect(await read("1d")).toEqual(before.days);
    expect(ofArchived(await read("1h"))).toEqual(ofArchived(before.hours));
  });

  it("are made again from the ledger for any range, in Redis and in PostgreSQL", async () => {
    now = TODAY;
    const { redis, database } = market;
    const key = candlesKey("btcidr", "1h", dayOf(START + DAY_MS));
    const before = await redis.hgetall(key);
    await redis.hset(key, Object.keys(before)[0] ?? "", "1,1,1,1,1,1,1,1,1,1,1", String(START + DAY_MS + 1), "wrong");
    await redis.del(candlesKey("btcidr", "5m", dayOf(START + DAY_MS)));
    const parts = { database, redis, ledger: openLedgerReader(database), nowMs: now };
    const repaired = await repairCandles(parts, { pair: "btcidr", from: START, to: TODAY });
    expect(repaired.trades).toBeGreaterThan(100);
    expect((await market.audit()).faults).toEqual([]);
    expect(await redis.hgetall(key)).toEqual(before);
    expect((await tiers())[0]).toMatch(/^10m /);
    expect(await repairCandles(parts, { pair: "btcidr", from: START, to: TODAY })).toEqual(repaired);
  });
});
