import { fail, ok, type Result } from "../../../shared/result.ts";
import { dayNumber, isoDay } from "./tehran-time.ts";

/**
 * The Jalali (Solar Hijri) calendar by the 33-year rule: exact for every day from 1900 to 2100, as a test against the
 * runtime's own calendar shows. Dates are texts: `1403/10/27` here, `2025-01-16` in the Gregorian calendar.
 */
export function toJalali(date: string): string {
  const { year, month, day } = jalaliOfDay(dayNumber(date));
  return `${year}/${String(month).padStart(2, "0")}/${String(day).padStart(2, "0")}`;
}

type JalaliDate = { readonly year: number; readonly month: number; readonly day: number };

function jalaliOfDay(at: number): JalaliDate {
  let year = Math.floor((at - EPOCH_DAY) / DAYS_PER_YEAR) + 1;
  if (at < firstDayOf(year)) year--;
  else if (at >= firstDayOf(year + 1)) year++;
  const dayOfYear = at - firstDayOf(year);
  const isFirstHalf = dayOfYear < LONG_MONTHS * LONG_MONTH_DAYS;
  const rest = dayOfYear - LONG_MONTHS * LONG_MONTH_DAYS;
  return isFirstHalf
    ? { year, month: Math.floor(dayOfYear / LONG_MONTH_DAYS) + 1, day: (dayOfYear % LONG_MONTH_DAYS) + 1 }
    : { year, month: LONG_MONTHS + Math.floor(rest / SHORT_MONTH_DAYS) + 1, day: (rest % SHORT_MONTH_DAYS) + 1 };
}

/** Whether Esfand has 30 days. */
export function isLeapYear(year: number): boolean {
  return LEAP_YEARS_OF_CYCLE.has(((year % CYCLE_YEARS) + CYCLE_YEARS) % CYCLE_YEARS);
}

const DAY_TEXT = /^(\d{4})([/-])(\d{1,2})\2(\d{1,2})$/;
/** Gregorian years of any price are later, Jalali years of any price are earlier. */
const GREGORIAN_FROM_YEAR = 1_700;
const JALALI_FROM_YEAR = 1_200;

/** A day that a person wrote in either calendar, in Persian, Arabic or Latin digits, as a Gregorian date. */
export function parseDay(text: string): Result<string, "not_a_day"> {
  const [, yearText, , monthText, dayText] = DAY_TEXT.exec(latinDigits(text.trim())) ?? [];
  const [year, month, day] = [Number(yearText), Number(monthText), Number(dayText)];
  if (yearText === undefined || month < 1 || month > MONTHS || day < 1) return fail("not_a_day");
  if (year >= GREGORIAN_FROM_YEAR) return gregorianDay(year, month, day);
  if (year < JALALI_FROM_YEAR || day > daysInMonth(year, month)) return fail("not_a_day");
  return ok(isoDay(firstDayOf(year) + daysBefore(month) + day - 1));
}

function gregorianDay(year: number, month: number, day: number): Result<string, "not_a_day"> {
  const written = `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
  const atMs = Date.parse(`${written}T00:00:00Z`);
  // The parser takes a 31st of June for the 1st of July.
  if (Number.isNaN(atMs) || new Date(atMs).getUTCDate() !== day) return fail("not_a_day");
  return ok(written);
}

const ZEROS = ["\u06f0", "\u0660"].map((zero) => zero.charCodeAt(0));
const PERSIAN_OR_ARABIC_DIGIT = /[\u06f0-\u06f9\u0660-\u0669]/g;

export function latinDigits(text: string): string {
  return text.replaceAll(PERSIAN_OR_ARABIC_DIGIT, (digit) => {
    const code = digit.charCodeAt(0);
    return String(code - (ZEROS.find((zero) => code >= zero && code <= zero + 9) ?? code));
  });
}

const MONTHS = 12;
const LONG_MONTHS = 6;
const LONG_MONTH_DAYS = 31;
const SHORT_MONTH_DAYS = 30;
const DAYS_PER_YEAR = 365.2424;
const CYCLE_YEARS = 33;
const CYCLE_DAYS = CYCLE_YEARS * 365 + 8;
const LEAP_YEARS_OF_CYCLE: ReadonlySet<number> = new Set([1, 5, 9, 13, 17, 22, 26, 30]);
/** How many leap years a cycle has before each of its years. */
const LEAPS_BEFORE = Array.from({ length: CYCLE_YEARS }, (_, at) =>
  [...LEAP_YEARS_OF_CYCLE].reduce((count, leap) => count + (leap < at ? 1 : 0), 0),
);
/** 1 Farvardin 1, counted from 1970-01-01. */
const EPOCH_DAY = firstDayOf1403() - daysOfYearsBefore(1403);

function firstDayOf1403(): number {
  return dayNumber("2024-03-20");
}

function daysOfYearsBefore(year: number): number {
  const cycle = Math.floor(year / CYCLE_YEARS);
  const at = year - cycle * CYCLE_YEARS;
  return cycle * CYCLE_DAYS + at * 365 + (LEAPS_BEFORE[at] ?? 0);
}

function firstDayOf(year: number): number {
  return EPOCH_DAY + daysOfYearsBefore(year);
}

function daysBefore(month: number): number {
  const long = Math.min(month - 1, LONG_MONTHS);
  return long * LONG_MONTH_DAYS + (month - 1 - long) * SHORT_MONTH_DAYS;
}

function daysInMonth(year: number, month: number): number {
  if (month <= LONG_MONTHS) return LONG_MONTH_DAYS;
  return month < MONTHS || isLeapYear(year) ? SHORT_MONTH_DAYS : SHORT_MONTH_DAYS - 1;
}
