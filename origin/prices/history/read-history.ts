import type { Queries } from "../../db/database.ts";
import { toJalali } from "../calendar/jalali.ts";
import { addDays, DAY_MS, tehranDate, tehranDayStart } from "../calendar/tehran-time.ts";
import { readBars, readDays, readHours, type StoredBar } from "./history-queries.ts";
import type { Timeframe } from "./tiers.ts";

/** A range of a chart chooses its resolution: some hundred bars, whatever the range. */
export const RANGES = {
  "1d": { days: 1, resolution: "10m" },
  "1w": { days: 7, resolution: "1h" },
  "1m": { days: 30, resolution: "1h" },
  "3m": { days: 91, resolution: "1d" },
  "1y": { days: 366, resolution: "1d" },
  "5y": { days: 1_827, resolution: "1d" },
  all: { days: 36_525, resolution: "1d" },
} as const satisfies Record<string, { readonly days: number; readonly resolution: Timeframe }>;

export type Range = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as [Range, ...Range[]];

export type HistoryBar = StoredBar & { readonly dateJalali: string };

const READ = { "10m": readBars, "1h": readHours, "1d": readDays } as const;

export async function readHistory(
  db: Queries,
  { itemCode, range, nowMs }: { readonly itemCode: string; readonly range: Range; readonly nowMs: number },
): Promise<readonly HistoryBar[]> {
  const { days, resolution } = RANGES[range];
  // A range of days begins with a whole day.
  const fromMs =
    resolution === "1d" ? tehranDayStart(addDays(tehranDate(nowMs), -days)) : Math.max(0, nowMs - days * DAY_MS);
  const bars = await READ[resolution].first(db, { itemCode, fromMs: String(fromMs), toMs: String(nowMs + 1) });
  return (bars ?? []).map(withJalali);
}

/** The day's bar; undefined where there is none. */
export async function readDay(
  db: Queries,
  { itemCode, date }: { readonly itemCode: string; readonly date: string },
): Promise<HistoryBar | undefined> {
  const [fromMs, toMs] = [tehranDayStart(date), tehranDayStart(addDays(date, 1))];
  const [bar] = (await readDays.first(db, { itemCode, fromMs: String(fromMs), toMs: String(toMs) })) ?? [];
  return bar === undefined ? undefined : withJalali(bar);
}

function withJalali(bar: StoredBar): HistoryBar {
  return { ...bar, openTime: Math.round(bar.openTime), dateJalali: toJalali(bar.date) };
}
