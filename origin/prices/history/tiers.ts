import { dueTimes, type Schedule } from "../calendar/schedule.ts";
import {
  addDays,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  tehranDate,
  tehranDayStart,
  tehranOffsetMs,
} from "../calendar/tehran-time.ts";

/**
 * How long bars of each resolution are kept, and what they are merged into: ten minutes for 7 days, an hour for 90
 * days, a day for ever. Hours and days are those of Tehran, so that hours make whole days. This table is the only place
 * that says so.
 */
export type Timeframe = "10m" | "1h" | "1d";

export type Tier = { readonly timeframe: "10m" | "1h"; readonly into: "1h" | "1d"; readonly keptMs: number };

export const TIERS: readonly Tier[] = [
  { timeframe: "10m", into: "1h", keptMs: 7 * DAY_MS },
  { timeframe: "1h", into: "1d", keptMs: 90 * DAY_MS },
];

export const TEN_MINUTES_MS = 10 * MINUTE_MS;

/** A stretch of time that becomes one bar. */
export type Bucket = {
  readonly fromMs: number;
  readonly toMs: number;
  /** The day in Tehran. */
  readonly date: string;
  /** How many prices the schedule asks for. */
  readonly expected: number;
};

/** The hour or day in Tehran that an instant belongs to. */
export function bucketOf(timeframe: Tier["into"], atMs: number, schedule: Schedule): Bucket {
  const date = tehranDate(atMs);
  const offsetMs = tehranOffsetMs(atMs);
  const [fromMs, toMs] =
    timeframe === "1d"
      ? [tehranDayStart(date), tehranDayStart(addDays(date, 1))]
      : [hourStart(atMs, offsetMs), hourStart(atMs, offsetMs) + HOUR_MS];
  return { fromMs, toMs, date, expected: dueTimes(schedule, fromMs - 1, toMs - 1).length };
}

/** Tehran's offset ends with half an hour in every year of these prices, summer time included. */
function hourStart(atMs: number, offsetMs: number): number {
  return Math.floor((atMs + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs;
}

/** Everything before this is merged: the end of the last whole bucket that is old enough. */
export function mergedBefore({ into, keptMs }: Tier, nowMs: number, schedule: Schedule): number {
  return bucketOf(into, nowMs - keptMs, schedule).fromMs;
}
