import { z } from "zod";
import { assert } from "../../../shared/assert.ts";
import { clockText, MINUTE_MS, MINUTES_PER_DAY, tehranTime } from "./tehran-time.ts";

/**
 * When prices are fetched, by the clock in Tehran. A time is due when the minutes since midnight are a multiple of the
 * interval that holds at that time: `:00, :10, :20` at peak, every full hour otherwise. So nothing drifts, and a restart
 * changes no due time.
 */
export type Schedule = z.output<typeof scheduleSchema>;

/** Intervals divide a day, so that every day has the same due times. */
const INTERVALS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1_440] as const;
const INTERVAL_TEXT = `must be one of ${INTERVALS.join(", ")}`;
const intervalField = z
  .int()
  .refine((minutes) => INTERVALS.some((known) => known === minutes), INTERVAL_TEXT)
  .describe("Minutes.");
const clockField = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, "must be a time as in 08:00")
  .describe("A time in Tehran, as in `08:00`.");

/** Several years of public holidays. */
const HOLIDAYS_MAX = 400;

export const scheduleSchema = z.strictObject({
  peakFrom: clockField,
  peakTo: clockField,
  peakMinutes: intervalField,
  normalMinutes: intervalField,
  weekendMinutes: intervalField,
  weekendDays: z
    .array(z.int().min(0).max(6))
    .max(7)
    .describe("0 is Sunday; the week in Iran ends with Thursday (4) and Friday (5)."),
  holidays: z
    .array(z.iso.date("must be a date as in 2026-03-21"))
    .max(HOLIDAYS_MAX)
    .describe("Gregorian dates on which the weekend's interval holds."),
});

/** The Iranian week is Saturday to Wednesday. */
export const DEFAULT_SCHEDULE: Schedule = {
  peakFrom: "08:00",
  peakTo: "14:00",
  peakMinutes: 10,
  normalMinutes: 60,
  weekendMinutes: 120,
  weekendDays: [4, 5],
  holidays: [],
};

export type Regime = "peak" | "normal" | "weekend";

export function regimeAt(schedule: Schedule, atMs: number): Regime {
  const { date, minuteOfDay, weekday } = tehranTime(atMs);
  if (schedule.weekendDays.includes(weekday) || schedule.holidays.includes(date)) return "weekend";
  const time = clockText(minuteOfDay);
  return time >= schedule.peakFrom && time < schedule.peakTo ? "peak" : "normal";
}

export function intervalAt(schedule: Schedule, atMs: number): number {
  return schedule[`${regimeAt(schedule, atMs)}Minutes`];
}

/** The first due time after an instant: at most a day and an hour later, whatever the settings. */
export function nextDueMs(schedule: Schedule, afterMs: number): number {
  let atMs = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS;
  for (let step = 0; step <= SEARCH_MINUTES_MAX; step++, atMs += MINUTE_MS) if (isDue(schedule, atMs)) return atMs;
  assert(false, "every day has a due time");
}

/** All due times after `fromMs` and up to `toMs`. */
export function dueTimes(schedule: Schedule, fromMs: number, toMs: number): readonly number[] {
  const found: number[] = [];
  for (let atMs = nextDueMs(schedule, fromMs); atMs <= toMs; atMs = nextDueMs(schedule, atMs)) found.push(atMs);
  return found;
}

/** Midnight is always due; where summer time began, midnight did not occur, and an hour is missing. */
const SEARCH_MINUTES_MAX = 2 * MINUTES_PER_DAY;

function isDue(schedule: Schedule, atMs: number): boolean {
  return tehranTime(atMs).minuteOfDay % intervalAt(schedule, atMs) === 0;
}
