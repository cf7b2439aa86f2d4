import { fail, ok, type Result } from "../../../shared/result.ts";
import { latinDigits, parseDay } from "../calendar/jalali.ts";
import { tehranInstant } from "../calendar/tehran-time.ts";
import type { HttpDescription, PriceList, Unit } from "./describe-provider.ts";

/** One price of a provider as it wrote it, found by its description. Numbers are still text. */
export type Quote = {
  readonly key: string;
  readonly price: string;
  /** Undefined when the provider names a unit that its description does not know. */
  readonly unit: Unit | undefined;
  readonly changePercent?: string | undefined;
  readonly high?: string | undefined;
  readonly low?: string | undefined;
  readonly volume?: string | undefined;
  readonly marketCap?: string | undefined;
  readonly atMs?: number | undefined;
};

export type AnswerFault = "not_json" | "shape_unknown";

/** How deep an answer may be nested: real ones have four levels. */
const DEPTH_MAX = 32;

/** All prices in an answer. A list that is missing is a fault; a row without a price is not a row. */
export function readAnswer(
  text: string,
  lists: readonly PriceList[],
  description: HttpDescription,
): Result<readonly Quote[], AnswerFault> {
  const parsed = parseWithTexts(text);
  if (!parsed.ok) return parsed;
  const quotes: Quote[] = [];
  for (const list of lists) {
    const rows = rowsOf(at(parsed.value, list.path), list);
    if (rows === undefined) return fail("shape_unknown");
    for (const [key, row] of rows) {
      const quote = quoteOf(key, row, { list, description });
      if (quote !== undefined) quotes.push(quote);
    }
  }
  return ok(quotes);
}

type Json = string | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A number stays the text that the provider wrote: `JSON.parse` alone would make a float of it. */
function parseWithTexts(text: string): Result<Json, "not_json"> {
  if (nestingOf(text) > DEPTH_MAX) return fail("not_json");
  try {
    return ok(
      JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) =>
        typeof value === "number" ? (context?.source ?? String(value)) : value,
      ) as Json,
    );
  } catch {
    return fail("not_json");
  }
}

function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of text.matchAll(/"(?:\\.|[^"\\])*"|[[\]{}]/g)) {
    if (bracket === "[" || bracket === "{") deepest = Math.max(deepest, ++depth);
    else if (bracket === "]" || bracket === "}") depth--;
  }
  return deepest;
}

function at(value: Json | undefined, path: string): Json | undefined {
  let found = value;
  for (const name of path === "" ? [] : path.split(".")) {
    if (typeof found !== "object" || found === null || Array.isArray(found)) return undefined;
    found = Object.hasOwn(found, name) ? (found as { readonly [name: string]: Json })[name] : undefined;
  }
  return found;
}

function rowsOf(value: Json | undefined, { shape, key }: PriceList): readonly (readonly [string, Json])[] | undefined {
  if (shape === "array") {
    if (!Array.isArray(value)) return undefined;
    return value.map((row: Json) => [textOf(at(row, key ?? "key")) ?? "", row] as const);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.entries(value as { readonly [name: string]: Json });
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

type Place = { readonly list: PriceList; readonly description: HttpDescription };

function quoteOf(key: string, row: Json, { list, description }: Place): Quote | undefined {
  const fields = list.fields ?? description.fields;
  const text = (path: string | undefined) => (path === undefined ? undefined : textOf(at(row, path)));
  const price = text(fields.price);
  if (key === "" || price === undefined) return undefined;
  const named = text(fields.unit);
  const unit =
    description.unitOfKey[key] ??
    (named === undefined ? (list.unit ?? description.unit) : description.unitNames[named.trim()]);
  const isDown = fields.direction?.down.includes(text(fields.direction.path) ?? "") === true;
  const change = text(fields.changePercent);
  return {
    key,
    price,
    unit,
    changePercent: isDown && change !== undefined && !/^\s*-/.test(change) ? `-${change.trim()}` : change,
    high: text(fields.high),
    low: text(fields.low),
    volume: text(fields.volume),
    marketCap: text(fields.marketCap),
    atMs: readTime(text(fields.time), text(fields.clock), description.time),
  };
}

const LOCAL = /^([\d/-]{8,10})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?/;
/** 2001 to 2100, in seconds: anything else is no time of a price. */
const SECONDS_MIN = 978_307_200;
const SECONDS_MAX = 4_102_444_800;

/** Undefined where the provider writes none that can be read: a price without its time is still a price. */
function readTime(
  time: string | undefined,
  clock: string | undefined,
  kind: HttpDescription["time"],
): number | undefined {
  if (time === undefined || kind === "none") return undefined;
  const written = latinDigits(time.trim());
  if (kind === "unixSeconds") return unixTime(written, 1);
  if (kind === "unixMs") return unixTime(written, 1_000);
  return localTime(clock === undefined ? written : `${written} ${latinDigits(clock.trim())}`);
}

function unixTime(text: string, perSecond: number): number | undefined {
  const seconds = /^\d{9,14}$/.test(text) ? Number(text) / perSecond : Number.NaN;
  return seconds >= SECONDS_MIN && seconds <= SECONDS_MAX ? Math.round(seconds * 1_000) : undefined;
}

function localTime(text: string): number | undefined {
  const [, date = "", hour = "0", minute = "0", second = "0"] = LOCAL.exec(text) ?? [];
  const day = parseDay(date);
  if (!day.ok || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  return tehranInstant(day.value, ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1_000);
}
