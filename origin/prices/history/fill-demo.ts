import type { Logger } from "pino";
import { formatMoney, type Money } from "../../../shared/money.ts";
import type { Database } from "../../db/database.ts";
import { toJalali } from "../calendar/jalali.ts";
import type { Schedule } from "../calendar/schedule.ts";
import { addDays, clockText, DAY_MS, tehranDate, tehranDayStart, tehranTime } from "../calendar/tehran-time.ts";
import { putIntraday } from "../fetch/fetch-queries.ts";
import type { TrackedItem } from "../items/item.ts";
import { bumpRevision, listItems } from "../items/item-queries.ts";
import { demoPrice } from "../providers/demo-prices.ts";
import { demoPartsOf } from "../providers/fetch-quotes.ts";
import { insertBars, listDemoItems } from "./history-queries.ts";
import { bucketOf, TEN_MINUTES_MS, type Timeframe } from "./tiers.ts";

/**
 * The past of the demo's prices, so that a first look shows charts: 400 days, of which the last week by the hour and
 * the last two days by ten minutes. Made up like the demo's prices themselves, and marked as calculated.
 */
const DAYS = 400;
const HOURLY_DAYS = 7;
const FINE_DAYS = 2;
const SAMPLES_PER_BAR = 8;
const FILL_MS_MAX = 30_000;

type DemoParts = {
  readonly database: Database;
  readonly schedule: Schedule;
  readonly nowMs: number;
  readonly log: Logger;
};

export async function fillDemo({ database, schedule, nowMs, log }: DemoParts): Promise<void> {
  const today = tehranDate(nowMs);
  const stretches = stretchesUntil(nowMs, schedule);
  const bare = new Map((await listDemoItems.all(database, {})).map(({ itemCode, seed }) => [itemCode, seed]));
  if (bare.size === 0) return;
  for (const item of await listItems.all(database, {})) {
    const seed = bare.get(item.itemCode);
    if (seed === undefined) continue;
    const parts = demoPartsOf(item, seed);
    const text = (atMs: number) => formatMoney(demoPrice(parts, atMs) as Money, item.decimals);
    const steps = (atMs: number) => demoPrice(parts, atMs);
    const rows = stretches.map((stretch) => demoBar(item, stretch, steps));
    const courses = [addDays(today, -1), today].map((date) => demoCourse(item, { date, nowMs, text, steps }));
    await database.transaction(async (tx) => {
      await insertBars.all(tx, { rows: { rows } });
      await putIntraday.all(tx, { rows: { rows: courses.filter((course) => course !== undefined) } });
    }, FILL_MS_MAX);
  }
  // Boards compare with the past.
  await bumpRevision.all(database, {});
  log.info({ items: bare.size }, "made up the past of the demo's prices");
}

type Stretch = { readonly timeframe: Timeframe; readonly fromMs: number; readonly toMs: number; readonly date: string };

function stretchesUntil(nowMs: number, schedule: Schedule): readonly Stretch[] {
  const today = tehranDate(nowMs);
  const stretches: Stretch[] = [];
  for (let day = -DAYS; day < -HOURLY_DAYS; day++) {
    const date = addDays(today, day);
    stretches.push({ timeframe: "1d", fromMs: tehranDayStart(date), toMs: tehranDayStart(addDays(date, 1)), date });
  }
  const fineFromMs = tehranDayStart(addDays(today, 1 - FINE_DAYS));
  for (let atMs = tehranDayStart(addDays(today, -HOURLY_DAYS)); atMs < fineFromMs; ) {
    const { fromMs, toMs, date } = bucketOf("1h", atMs, schedule);
    stretches.push({ timeframe: "1h", fromMs, toMs, date });
    atMs = toMs;
  }
  const lastMs = Math.floor(nowMs / TEN_MINUTES_MS) * TEN_MINUTES_MS;
  for (let atMs = fineFromMs; atMs < lastMs; atMs += TEN_MINUTES_MS)
    stretches.push({ timeframe: "10m", fromMs: atMs, toMs: atMs + TEN_MINUTES_MS, date: tehranDate(atMs) });
  return stretches;
}

function demoBar(item: TrackedItem, stretch: Stretch, stepsAt: (atMs: number) => bigint): object {
  const { timeframe, fromMs, toMs, date } = stretch;
  const isFine = timeframe === "10m";
  const samples = Array.from({ length: isFine ? 1 : SAMPLES_PER_BAR }, (_, index) =>
    stepsAt(fromMs + ((toMs - fromMs) * index) / SAMPLES_PER_BAR),
  );
  const sorted = samples.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const text = (steps: bigint | undefined) => formatMoney((steps ?? 0n) as Money, item.decimals);
  return {
    itemCode: item.itemCode,
    itemType: item.itemType,
    timeframe,
    openedAtMs: fromMs,
    date,
    open: text(samples[0]),
    high: text(sorted.at(-1)),
    low: text(sorted[0]),
    close: text(samples.at(-1)),
    points: samples.length,
    expected: samples.length,
    source: "calculated",
  };
}

type Course = {
  readonly date: string;
  readonly nowMs: number;
  readonly text: (atMs: number) => string;
  readonly steps: (atMs: number) => bigint;
};

function demoCourse(item: TrackedItem, { date, nowMs, text, steps }: Course): object | undefined {
  const endMs = Math.min(nowMs, tehranDayStart(date) + DAY_MS);
  const times: number[] = [];
  for (let atMs = tehranDayStart(date); atMs < endMs; atMs += TEN_MINUTES_MS) times.push(atMs);
  const [firstMs, lastMs] = [times[0], times.at(-1)];
  if (firstMs === undefined || lastMs === undefined) return undefined;
  const sorted = times.toSorted((a, b) => (steps(a) < steps(b) ? -1 : 1));
  return {
    itemCode: item.itemCode,
    date,
    dateJalali: toJalali(date),
    open: text(firstMs),
    high: text(sorted.at(-1) ?? firstMs),
    low: text(sorted[0] ?? firstMs),
    close: text(lastMs),
    points: times.map((atMs) => ({ time: clockText(tehranTime(atMs).minuteOfDay), price: text(atMs) })),
    nowMs: lastMs,
  };
}
