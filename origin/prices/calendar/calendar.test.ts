import { describe, expect, it } from "vitest";
import { isLeapYear, parseDay, toJalali } from "./jalali.ts";
import { DEFAULT_SCHEDULE, dueTimes, intervalAt, nextDueMs, regimeAt, type Schedule } from "./schedule.ts";
import {
  addDays,
  clockText,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  tehranDate,
  tehranDayStart,
  tehranInstant,
  tehranTime,
} from "./tehran-time.ts";

const at = (text: string) => Date.parse(text);
const days = (from: string, count: number) => Array.from({ length: count }, (_, index) => addDays(from, index));

describe("the Jalali calendar", () => {
  it("equals the runtime's calendar on every day from 1900 to 2100, both ways", () => {
    const intl = new Intl.DateTimeFormat("fa-IR-u-nu-latn", {
      timeZone: "UTC",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
    for (const date of days("1900-03-21", 73_000)) {
      const jalali = toJalali(date);
      if (intl.format(at(`${date}T12:00:00Z`)) !== jalali)
        expect([date, jalali]).toEqual([date, intl.format(at(`${date}T12:00:00Z`))]);
      const back = parseDay(jalali);
      if (!back.ok || back.value !== date) expect([jalali, back]).toEqual([jalali, date]);
    }
  });

  it("knows Nowruz and the leap years around it", () => {
    expect([toJalali("2025-01-16"), toJalali("2024-03-20"), toJalali("2025-03-20"), toJalali("2025-03-21")]).toEqual([
      "1403/10/27",
      "1403/01/01",
      "1403/12/30",
      "1404/01/01",
    ]);
    expect([1399, 1403, 1408, 1404, 1400].map(isLeapYear)).toEqual([true, true, true, false, false]);
  });

  it("reads a day in either calendar and any digits, and refuses days that do not exist", () => {
    for (const text of ["2025-01-16", "2025/1/16", "1403/10/27", "1403-10-27", "۱۴۰۳/۱۰/۲۷", "١٤٠٣/١٠/٢٧"])
      expect(parseDay(text)).toEqual({ ok: true, value: "2025-01-16" });
    for (const text of [
      "1404/12/30",
      "1403/07/31",
      "2025-02-30",
      "1403/13/01",
      "0",
      "",
      "1403/10-27",
      "27/10/1403",
      "1e3/1/1",
    ])
      expect(parseDay(text), text).toEqual({ ok: false, reason: "not_a_day" });
  });
});

describe("the clock in Tehran", () => {
  it("has summer time until 2022 and none since", () => {
    const offsets = ["2021-07-01", "2022-07-01", "2022-12-01", "2023-07-01", "2026-07-01"].map((date) => {
      const { minuteOfDay } = tehranTime(at(`${date}T00:00:00Z`));
      return clockText(minuteOfDay);
    });
    expect(offsets).toEqual(["04:30", "04:30", "03:30", "03:30", "03:30"]);
  });

  it("gives every day its first instant, also where the clocks change", () => {
    for (const date of days("2020-01-01", 2_600)) {
      const start = tehranDayStart(date);
      if (tehranDate(start) !== date || tehranDate(start - 1) === date) expect(date).toBe("a day with one beginning");
    }
    const hours = (date: string) => (tehranDayStart(addDays(date, 1)) - tehranDayStart(date)) / HOUR_MS;
    expect(["2022-03-22", "2022-09-21", "2023-03-22"].map(hours)).toEqual([23, 25, 24]);
  });

  it("finds the instant of a time on the clock", () => {
    expect(tehranInstant("2025-11-20", 16 * HOUR_MS + 59 * MINUTE_MS + 58_000)).toBe(at("2025-11-20T16:59:58+03:30"));
    expect(tehranInstant("2021-07-01", 12 * HOUR_MS)).toBe(at("2021-07-01T12:00:00+04:30"));
  });
});

describe("the schedule", () => {
  const next = (from: string, schedule: Schedule = DEFAULT_SCHEDULE) => nextDueMs(schedule, at(from));

  it("is every ten minutes at peak, hourly otherwise, every two hours on Thursday and Friday", () => {
    expect(next("2025-01-15T08:00:00+03:30")).toBe(at("2025-01-15T08:10:00+03:30"));
    expect(next("2025-01-15T13:55:01+03:30")).toBe(at("2025-01-15T14:00:00+03:30"));
    expect(next("2025-01-15T14:00:00+03:30")).toBe(at("2025-01-15T15:00:00+03:30"));
    expect(next("2025-01-15T07:30:00+03:30")).toBe(at("2025-01-15T08:00:00+03:30"));
    // The 16th is a Thursday.
    expect(next("2025-01-15T23:30:00+03:30")).toBe(at("2025-01-16T00:00:00+03:30"));
    expect(next("2025-01-16T08:00:00+03:30")).toBe(at("2025-01-16T10:00:00+03:30"));
    // Saturday and Sunday are working days.
    for (const date of ["2025-01-18", "2025-01-19"])
      expect(next(`${date}T09:01:00+03:30`)).toBe(at(`${date}T09:10:00+03:30`));
  });

  it("takes days, hours and holidays from the settings", () => {
    const schedule: Schedule = {
      ...DEFAULT_SCHEDULE,
      weekendDays: [5, 6],
      holidays: ["2025-03-20"],
      peakFrom: "10:00",
    };
    expect(regimeAt(schedule, at("2025-01-18T09:00:00+03:30"))).toBe("weekend");
    expect(regimeAt(schedule, at("2025-03-20T11:00:00+03:30"))).toBe("weekend");
    expect(regimeAt(schedule, at("2025-01-16T11:00:00+03:30"))).toBe("peak");
    expect(regimeAt(schedule, at("2025-01-16T09:59:00+03:30"))).toBe("normal");
  });

  it.each([
    ["through both changes of the clocks", "2021-12-01T00:00:00Z"],
    ["without summer time", "2025-12-01T00:00:00Z"],
  ])("stays on the clock for 400 days %s, without a gap or a repetition", (_how, from) => {
    const fromMs = at(from);
    const times = dueTimes(DEFAULT_SCHEDULE, fromMs, fromMs + 400 * DAY_MS);
    let last = nextDueMs(DEFAULT_SCHEDULE, fromMs - 2 * HOUR_MS);
    const wrong: string[] = [];
    for (const time of times) {
      const { minuteOfDay, weekday } = tehranTime(time);
      const isOnTheClock = minuteOfDay % intervalAt(DEFAULT_SCHEDULE, time) === 0;
      // A clock that is set forward skips one due time at most.
      const isInTime = time > last && time - last <= 3 * HOUR_MS;
      const isPeak = weekday !== 4 && weekday !== 5 && minuteOfDay >= 480 && minuteOfDay < 840;
      if (!isOnTheClock || !isInTime || (isPeak && minuteOfDay > 480 && time - last !== 10 * MINUTE_MS))
        wrong.push(new Date(time).toISOString());
      last = time;
    }
    expect(wrong).toEqual([]);
    expect(times.length).toBeGreaterThan(400 * 12);
  });
});
