import { assert } from "../../../shared/assert.ts";

/**
 * Civil time in Tehran. The offset comes from the runtime's time zone data, so its history is right: summer time
 * (+04:30) until September 2022, +03:30 all year since. Everything else is arithmetic on it.
 */
export type TehranTime = {
  /** `YYYY-MM-DD` in the Gregorian calendar. */
  readonly date: string;
  readonly minuteOfDay: number;
  /** 0 is Sunday, as in `Date`. */
  readonly weekday: number;
};

const TEHRAN = "Asia/Tehran";
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const MINUTES_PER_DAY = 1_440;

export function tehranTime(atMs: number): TehranTime {
  const local = atMs + tehranOffsetMs(atMs);
  const day = Math.floor(local / DAY_MS);
  return {
    date: isoDay(day),
    minuteOfDay: Math.floor((local - day * DAY_MS) / MINUTE_MS),
    weekday: (((day + THURSDAY) % 7) + 7) % 7,
  };
}

export function tehranDate(atMs: number): string {
  return tehranTime(atMs).date;
}

/** `HH:MM`. */
export function clockText(minuteOfDay: number): string {
  return `${String(Math.floor(minuteOfDay / 60)).padStart(2, "0")}:${String(minuteOfDay % 60).padStart(2, "0")}`;
}

/**
 * The first instant of a day in Tehran. Summer time began at midnight: the first instant of such a day is 01:00 on the
 * clock.
 */
export function tehranDayStart(date: string): number {
  const asUtc = dayNumber(date) * DAY_MS;
  return earliest(
    [WINTER_MS, SUMMER_MS].map((offset) => asUtc - offset),
    (atMs) => tehranTime(atMs).date === date && tehranTime(atMs - 1).date !== date,
  );
}

/** The instant of a time on the clock in Tehran; of a time that occurs twice, the first. */
export function tehranInstant(date: string, millisecondOfDay: number): number {
  const asUtc = dayNumber(date) * DAY_MS + millisecondOfDay;
  const guess = asUtc - tehranOffsetMs(asUtc - WINTER_MS);
  const earlier = asUtc - SUMMER_MS;
  return earlier + tehranOffsetMs(earlier) === asUtc ? earlier : guess;
}

export function addDays(date: string, days: number): string {
  return isoDay(dayNumber(date) + days);
}

/** Days since 1970-01-01. */
export function dayNumber(date: string): number {
  const atMs = Date.parse(`${date}T00:00:00Z`);
  assert(!Number.isNaN(atMs), "a date is YYYY-MM-DD");
  return atMs / DAY_MS;
}

export function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, ISO_DATE_CHARS);
}

const ISO_DATE_CHARS = 10;
/** 1970-01-01 was a Thursday. */
const THURSDAY = 4;
const WINTER_MS = 3.5 * HOUR_MS;
const SUMMER_MS = 4.5 * HOUR_MS;

function earliest(candidates: readonly number[], isRight: (atMs: number) => boolean): number {
  const found = candidates.filter(isRight);
  // Before 1977 Tehran had other offsets; no price is that old.
  return found.length === 0 ? (candidates[0] ?? 0) : Math.min(...found);
}

const formatter = new Intl.DateTimeFormat("en-US", { timeZone: TEHRAN, timeZoneName: "longOffset" });
const offsets = new Map<number, number>();
/** Offsets change on the half hour at the finest; asking the runtime costs microseconds, so answers are kept. */
const OFFSET_SPAN_MS = HOUR_MS / 2;
/** Four months of half hours: a walk through years asks each a few times, and then never again. */
const OFFSETS_MAX = 6_000;

export function tehranOffsetMs(atMs: number): number {
  const span = Math.floor(atMs / OFFSET_SPAN_MS);
  const known = offsets.get(span);
  if (known !== undefined) return known;
  const name = formatter.formatToParts(span * OFFSET_SPAN_MS).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  assert(hours !== undefined && minutes !== undefined, "the runtime knows the time zone of Tehran");
  const offset = (sign === "-" ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS);
  if (offsets.size >= OFFSETS_MAX) offsets.clear();
  offsets.set(span, offset);
  return offset;
}
