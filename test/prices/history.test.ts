import { describe, expect, it } from "vitest";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import { seededRandom } from "../../kit/random.ts";
import { dueTimes, type Schedule } from "../../origin/prices/calendar/schedule.ts";
import { addDays, DAY_MS, HOUR_MS, tehranDate, tehranDayStart } from "../../origin/prices/calendar/tehran-time.ts";
import { insertBars } from "../../origin/prices/history/history-queries.ts";
import { readDay, readHistory } from "../../origin/prices/history/read-history.ts";
import { rollUpTiers } from "../../origin/prices/history/roll-up-tiers.ts";
import { bucketOf } from "../../origin/prices/history/tiers.ts";
import { startPricesWorld } from "./prices-world.ts";

/** Over both changes of Tehran's clocks, a leap year of the Jalali calendar (1399) and two Nowruz. */
const START = "2020-12-25T00:00:00Z";
const DAYS = IS_FULL_RUN ? 400 : 97;
const SCHEDULE: Schedule = {
  ...{ peakFrom: "08:00", peakTo: "14:00", weekendDays: [4, 5], holidays: ["2021-03-21"] },
  ...(IS_FULL_RUN
    ? { peakMinutes: 30, normalMinutes: 60, weekendMinutes: 120 }
    : { peakMinutes: 120, normalMinutes: 360, weekendMinutes: 720 }),
};

const world = await startPricesWorld({ startAt: START });
const { database } = world;
await database.query("UPDATE price_settings SET schedule = $1", [SCHEDULE]);

type Sample = { readonly atMs: number; readonly price: bigint };
type StoredRow = Record<"timeframe" | "date" | "open" | "high" | "low" | "close", string> & {
  points: number;
  at: number;
};

const stored = async (itemCode: string) =>
  (await database.query(
    `SELECT timeframe, (extract(epoch FROM opened_at) * 1000)::float8 AS at, date::text AS date, trim_scale(open)::text AS open, trim_scale(high)::text AS high,
      trim_scale(low)::text AS low, trim_scale(close)::text AS close, data_points AS points FROM historical_ohlc WHERE item_code = $1 ORDER BY opened_at, timeframe`,
    [itemCode],
  )) as readonly StoredRow[];

/** The same from the samples alone, without SQL: each sample belongs to the tier of its age. */
function recomputed(samples: readonly Sample[], nowMs: number): readonly StoredRow[] {
  const [hoursBefore, daysBefore] = [
    bucketOf("1h", nowMs - 7 * DAY_MS, SCHEDULE).fromMs,
    bucketOf("1d", nowMs - 90 * DAY_MS, SCHEDULE).fromMs,
  ];
  const bars = new Map<string, { row: StoredRow; low: bigint; high: bigint }>();
  for (const { atMs, price } of samples) {
    const timeframe = atMs < daysBefore ? "1d" : atMs < hoursBefore ? "1h" : "10m";
    const at = timeframe === "10m" ? Math.floor(atMs / 600_000) * 600_000 : bucketOf(timeframe, atMs, SCHEDULE).fromMs;
    const key = `${timeframe} ${at}`;
    const text = String(price);
    const known = bars.get(key);
    if (known === undefined) {
      const row = { timeframe, at, date: tehranDate(atMs), open: text, high: text, low: text, close: text, points: 1 };
      bars.set(key, { row, low: price, high: price });
      continue;
    }
    known.low = price < known.low ? price : known.low;
    known.high = price > known.high ? price : known.high;
    known.row = {
      ...known.row,
      close: text,
      low: String(known.low),
      high: String(known.high),
      points: known.row.points + 1,
    };
  }
  return [...bars.values()].map(({ row }) => row).toSorted((a, b) => a.at - b.at);
}

describe(`${DAYS} days of prices`, () => {
  const samples: Sample[] = [];

  it("are fetched at every due time and merged by the hourly jobs", async () => {
    await database.query("UPDATE tracked_items SET enabled = item_code = 'usd_sell'", []);
    const fromMs = world.clock.nowMs();
    const times = dueTimes(SCHEDULE, fromMs, fromMs + DAYS * DAY_MS);
    let ran = 0;
    for (const time of times) {
      world.setTime(time);
      expect(await world.worker.look()).toEqual(["demo"]);
      samples.push({ atMs: time, price: BigInt((await world.priceOf("usd_sell"))?.price ?? 0) });
      // The jobs are late now and then, as after an outage.
      if (time - ran > 6 * HOUR_MS) {
        await rollUpTiers(database, { nowMs: time, schedule: SCHEDULE });
        ran = time;
      }
    }
    expect(samples.length).toBe(times.length);
  });

  it("equal a recomputation from the prices, bar by bar", async () => {
    const nowMs = world.clock.nowMs();
    await rollUpTiers(database, { nowMs, schedule: SCHEDULE });
    const rows = await stored("usd_sell");
    expect(rows).toEqual(recomputed(samples, nowMs));
    expect(new Set(rows.map(({ timeframe }) => timeframe)).size).toBe(DAYS > 91 ? 3 : 2);
    // Repeating it changes nothing.
    expect(await rollUpTiers(database, { nowMs, schedule: SCHEDULE })).toBe(0);
    expect(await stored("usd_sell")).toEqual(rows);
  });

  it("answer what the price was on any day, also where the clocks changed", async () => {
    for (let day = 1; day < DAYS - 1; day += 1) {
      const date = addDays(tehranDate(Date.parse(START)), day);
      const own = samples.filter(({ atMs }) => atMs >= tehranDayStart(date) && atMs < tehranDayStart(addDays(date, 1)));
      const bar = await readDay(database, { itemCode: "usd_sell", date });
      const expected = [own[0]?.price, own.at(-1)?.price].map(String);
      if (bar?.open !== expected[0] || bar?.close !== expected[1])
        expect([date, bar?.open, bar?.close]).toEqual([date, ...expected]);
    }
  });

  it("make a chart of every range, in the order of time, each stretch once", async () => {
    const nowMs = world.clock.nowMs();
    for (const range of ["1d", "1w", "1m", "3m", "1y", "all"] as const) {
      const bars = await readHistory(database, { itemCode: "usd_sell", range, nowMs });
      const times = bars.map(({ openTime }) => openTime);
      expect([range, times]).toEqual([range, [...new Set(times)].toSorted((a, b) => a - b)]);
      expect(bars.length).toBeGreaterThan(3);
    }
    const all = await readHistory(database, { itemCode: "usd_sell", range: "all", nowMs });
    expect(all.reduce((sum, { dataPoints }) => sum + dataPoints, 0)).toBe(samples.length);
  });
});

describe("missing prices", () => {
  it("are filled on a straight line, marked, once their gap has ended; a merged bar says that data is missing", async () => {
    const nowMs = world.clock.nowMs();
    const hours = Array.from(
      { length: 5 },
      (_, index) => Math.floor(nowMs / HOUR_MS) * HOUR_MS - (5 - index) * 2 * HOUR_MS,
    );
    const [first = 0, , , , last = 0] = hours;
    await world.addItem({ itemCode: "gappy", provider: "demo" });
    const row = (at: number, price: string) => ({
      ...{ itemCode: "gappy", itemType: "currency", timeframe: "10m", openedAtMs: at, date: tehranDate(at) },
      ...{ open: price, high: price, low: price, close: price, points: 1, expected: 1, source: "api" },
    });
    await insertBars.all(database, { rows: { rows: [row(first, "1000"), row(last, "1800")] } });
    await world.history.run();
    const filled = (await database.query(
      "SELECT trim_scale(close)::text AS close, source, has_missing_data AS missing, data_points AS points FROM historical_ohlc WHERE item_code = 'gappy' ORDER BY opened_at",
      [],
    )) as readonly { close: string; source: string; missing: boolean; points: number }[];
    const made = filled.filter(({ source }) => source === "interpolated");
    expect(made.length).toBeGreaterThanOrEqual(1);
    for (const { close, missing, points } of made) {
      expect(Number(close)).toBeGreaterThan(1_000);
      expect(Number(close)).toBeLessThan(1_800);
      expect([missing, points]).toEqual([true, 0]);
    }
    await rollUpTiers(database, { nowMs: nowMs + 8 * DAY_MS, schedule: SCHEDULE });
    const [merged] = (await database.query(
      "SELECT bool_or(has_missing_data) AS missing, bool_or(source = 'interpolated') AS marked FROM historical_ohlc WHERE item_code = 'gappy' AND timeframe = '1h'",
      [],
    )) as readonly { missing: boolean; marked: boolean }[];
    expect(merged).toEqual({ missing: true, marked: true });
  });

  it("leave two days of courses: today and yesterday", async () => {
    world.setTime(world.clock.nowMs() + DAY_MS);
    await world.history.run();
    const rows = (await database.query("SELECT DISTINCT date::text AS date FROM intraday_ohlc", [])) as readonly {
      date: string;
    }[];
    const yesterday = addDays(tehranDate(world.clock.nowMs()), -1);
    expect(rows.every(({ date }) => date >= yesterday)).toBe(true);
  });
});

describe("a roll-up that is killed", () => {
  it("leaves every bar either merged or as it was, and the next run finishes", async () => {
    const random = seededRandom(7);
    const nowMs = Date.parse("2026-06-01T00:00:00Z");
    await world.addItem({ itemCode: "killed", provider: "demo" });
    const rows = Array.from({ length: 144 * 4 }, (_, index) => {
      const at = nowMs - 20 * DAY_MS + index * 600_000;
      const price = String(random.between(1_000, 2_000));
      return {
        ...{ itemCode: "killed", itemType: "currency", timeframe: "10m", openedAtMs: at, date: tehranDate(at) },
        ...{ open: price, high: price, low: price, close: price, points: 1, expected: 1, source: "api" },
      };
    });
    await insertBars.all(database, { rows: { rows } });
    const total = async () => (await stored("killed")).reduce((sum, { points }) => sum + points, 0);
    let kills = 0;
    const failing = {
      ...database,
      transaction: (async (work, limitMs) => {
        kills++;
        return database.transaction(async (tx) => {
          const result = await work(tx);
          // Before the commit: the connection of the process is cut.
          if (kills % 3 !== 0) throw new Error("killed");
          return result;
        }, limitMs);
      }) as typeof database.transaction,
    };
    for (let attempt = 0; attempt < 30; attempt++) {
      await rollUpTiers(failing, { nowMs, schedule: SCHEDULE }).catch(() => {});
      expect(await total()).toBe(rows.length);
    }
    expect(kills).toBeGreaterThan(3);
    expect((await stored("killed")).every(({ timeframe }) => timeframe === "1h")).toBe(true);
  });
});
