import type { BoardLanguage } from "./texts.ts";

/** How a reader wants numbers and dates. The server sends the language's own; a script applies a reader's choice. */
export type Look = {
  readonly language: BoardLanguage;
  readonly digits: "persian" | "latin";
  readonly calendar: "jalali" | "gregorian";
  /** How rials are shown; the API always counts in the item's own unit. */
  readonly rial: "toman" | "rial";
};

export function defaultLook(language: BoardLanguage): Look {
  return {
    language,
    digits: language === "fa" ? "persian" : "latin",
    calendar: language === "fa" ? "jalali" : "gregorian",
    rial: "toman",
  };
}

const ZERO = 0x06f0;

export function inDigits(text: string, { digits }: Look): string {
  return digits === "latin" ? text : text.replaceAll(/\d/g, (digit) => String.fromCharCode(ZERO + Number(digit)));
}

/** A decimal as people read it: grouped, in the reader's digits. Works on text, so that no digit is lost. */
export function amountText(amount: string, look: Look): string {
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const isPersian = look.digits === "persian";
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, isPersian ? "٬" : ",");
  return inDigits(`${sign}${grouped}${fraction === "" ? "" : `${isPersian ? "٫" : "."}${fraction}`}`, look);
}

/** The amount in the unit that it is shown in. */
export function shownAmount(amount: string, unit: string, look: Look): string {
  return amountText(inShownUnit(amount, unit, look), look);
}

export function shownUnit(unit: string, look: Look): string {
  return unit === "rial" && look.rial === "toman" ? "toman" : unit;
}

/** Ten rials are a toman. */
function inShownUnit(amount: string, unit: string, look: Look): string {
  if (shownUnit(unit, look) === unit) return amount;
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const digits = whole.padStart(2, "0");
  const rest = `${digits.slice(-1)}${fraction}`.replace(/0+$/, "");
  return `${sign}${digits.slice(0, -1)}${rest === "" ? "" : `.${rest}`}`;
}

/** With a sign and two decimals at most. */
export function percentText(percent: string, look: Look): string {
  const sign = percent.startsWith("-") ? "−" : /^0(?:\.0+)?$/.test(percent) ? "" : "+";
  return `${sign}${amountText(percent.replace("-", ""), look)}${look.digits === "persian" ? "٪" : "%"}`;
}

export function directionOf(change: string | null): "up" | "down" | "unchanged" {
  if (change === null || /^-?0(?:\.0+)?$/.test(change)) return "unchanged";
  return change.startsWith("-") ? "down" : "up";
}

const LOCALES: Readonly<Record<BoardLanguage, string>> = { fa: "fa-IR", en: "en-GB", ar: "ar-EG" };

function format(options: Intl.DateTimeFormatOptions, { language, digits, calendar }: Look): Intl.DateTimeFormat {
  const extension = `-u-ca-${calendar === "jalali" ? "persian" : "gregory"}-nu-${digits === "persian" ? "arabext" : "latn"}`;
  return new Intl.DateTimeFormat(LOCALES[language] + extension, { timeZone: "Asia/Tehran", ...options });
}

/** A day with its weekday, in the order that all three languages use. */
export function longDate(atMs: number, look: Look): string {
  const part = partsOf(format({ weekday: "long", day: "numeric", month: "long", year: "numeric" }, look), atMs);
  return `${part("weekday")}${look.language === "en" ? "," : ""} ${part("day")} ${part("month")} ${part("year")}`;
}

/** A day without its weekday, from its date in Tehran. */
export function shortDate(date: string, look: Look): string {
  const part = partsOf(dayFormat(look), Date.parse(`${date}T08:00:00Z`));
  return `${part("day")} ${part("month")} ${part("year")}`;
}

/** For an axis: without the year. */
export function axisDate(date: string, look: Look): string {
  const part = partsOf(dayFormat(look), Date.parse(`${date}T08:00:00Z`));
  return `${part("day")} ${part("month")}`;
}

const dayFormat = (look: Look) => format({ day: "numeric", month: "short", year: "numeric" }, look);

/** The era of the Jalali calendar says nothing new and is left out. */
function partsOf(formatter: Intl.DateTimeFormat, atMs: number) {
  const parts = formatter.formatToParts(atMs);
  return (wanted: Intl.DateTimeFormatPartTypes) => parts.find(({ type }) => type === wanted)?.value ?? "";
}

export function clockTime(atMs: number, look: Look): string {
  return format({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }, look).format(atMs);
}

/** `1:25:10`. */
export function countdown(seconds: number, look: Look): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return inDigits(hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`, look);
}
