import type { Plurals } from "./texts/room-texts.ts";

/**
 * Numbers, people and times as a reader of one language writes them. The same code fills the page here and in the
 * browser.
 */
export type Words = {
  readonly number: (value: number) => string;
  readonly people: (forms: Plurals, count: number) => string;
  readonly duration: (seconds: number) => string;
  readonly estimate: (estimate: Estimate, texts: EstimateTexts) => string;
  readonly countdown: (leftMs: number) => string;
  /** A day and a time of day, with its zone. In a browser the zone is the visitor's. */
  readonly moment: (atMs: number) => string;
  readonly timeOfDay: (atMs: number) => string;
};

type Unit = "second" | "minute" | "hour" | "day";
type Estimate = { readonly low: number; readonly high: number };
type EstimateTexts = { readonly about: string; readonly underAMinute: string; readonly overADay: string };

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
/** Up to here in minutes: "80–100 minutes" says more than "1–2 hours". */
const MINUTES_UNTIL = 100 * MINUTE;
/** From here on in steps of five: estimates are not that precise. */
const ROUND_FROM = 10;
const ROUND_STEP = 5;

/** `timeZone` is left out in a browser, which knows its own. */
export function createWords(locale: string, timeZone?: string): Words {
  const zone = timeZone === undefined ? {} : { timeZone };
  const plain = new Intl.NumberFormat(locale);
  const twoDigits = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2 });
  const rules = new Intl.PluralRules(locale);
  /** Made when they are needed, and kept: that takes much longer than using them. */
  const units = new Map<Unit, Intl.NumberFormat>();

  function unit(name: Unit): Intl.NumberFormat {
    const format = units.get(name) ?? new Intl.NumberFormat(locale, { style: "unit", unit: name, unitDisplay: "long" });
    units.set(name, format);
    return format;
  }

  return {
    number: (value) => plain.format(value),
    people: (forms, count) => fill(forms[rules.select(count)] ?? forms.other, { n: plain.format(count) }),
    duration(seconds) {
      if (seconds < 2 * MINUTE) return unit("second").format(Math.max(1, Math.round(seconds)));
      return seconds < 2 * HOUR && seconds % HOUR !== 0
        ? unit("minute").format(Math.round(seconds / MINUTE))
        : unit("hour").format(Math.round(seconds / HOUR));
    },
    estimate({ low, high }, { about, underAMinute, overADay }) {
      if (low >= DAY) return overADay;
      if (high < MINUTE) return underAMinute;
      const [name, size] = high <= MINUTES_UNTIL ? (["minute", MINUTE] as const) : (["hour", HOUR] as const);
      const from = roundDown(Math.max(1, Math.floor(low / size)));
      const to = Math.max(from, roundUp(Math.ceil(high / size)));
      const format = unit(name);
      return fill(about, { time: from === to ? format.format(to) : range(format, from, to) });
    },
    countdown(leftMs) {
      const seconds = Math.max(0, Math.ceil(leftMs / 1000));
      const days = Math.floor(seconds / DAY);
      const clock = [Math.floor((seconds % DAY) / HOUR), Math.floor((seconds % HOUR) / MINUTE), seconds % MINUTE];
      const time = clock.map((part) => twoDigits.format(part)).join(":");
      return days === 0 ? time : `${unit("day").format(days)} ${time}`;
    },
    moment: (atMs) => new Intl.DateTimeFormat(locale, { ...zone, ...MOMENT }).format(atMs),
    timeOfDay: (atMs) => new Intl.DateTimeFormat(locale, { ...zone, timeStyle: "medium" }).format(atMs),
  };
}

const MOMENT = { day: "numeric", month: "long", hour: "numeric", minute: "2-digit", timeZoneName: "short" } as const;

/** Puts values where a text names them in single braces. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** Browsers before 2023 cannot write a range by themselves. */
function range(format: Intl.NumberFormat, from: number, to: number): string {
  return "formatRange" in format ? format.formatRange(from, to) : `${from}–${(format as Intl.NumberFormat).format(to)}`;
}

function roundDown(value: number): number {
  return value < ROUND_FROM ? value : Math.floor(value / ROUND_STEP) * ROUND_STEP;
}

function roundUp(value: number): number {
  return value < ROUND_FROM ? value : Math.ceil(value / ROUND_STEP) * ROUND_STEP;
}
