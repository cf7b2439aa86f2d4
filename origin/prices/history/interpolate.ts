import type { Database } from "../../db/database.ts";
import { dueTimes, type Schedule } from "../calendar/schedule.ts";
import { DAY_MS, tehranDate } from "../calendar/tehran-time.ts";
import { divideRounded } from "../providers/read-decimal.ts";
import { insertBars, listRecentBars } from "./history-queries.ts";
import { TEN_MINUTES_MS } from "./tiers.ts";

/** Longer gaps stay gaps: a straight line over more than this says nothing. */
const GAP_MS_MAX = DAY_MS;
const ROWS_AT_ONCE = 2_000;
const INSERT_MS_MAX = 30_000;

/**
 * Fills due times without a price on a straight line between their neighbours, marked as interpolated. Only gaps that
 * have ended are filled, so that nothing is made up about the present. Returns how many bars were made.
 */
export async function interpolate(
  database: Database,
  { nowMs, schedule }: { readonly nowMs: number; readonly schedule: Schedule },
): Promise<number> {
  const sinceMs = nowMs - 2 * GAP_MS_MAX;
  const bars = await listRecentBars.all(database, { sinceMs: String(sinceMs) });
  const due = dueTimes(schedule, sinceMs, nowMs).map((atMs) => Math.floor(atMs / TEN_MINUTES_MS) * TEN_MINUTES_MS);
  const rows: object[] = [];
  for (const [index, left] of bars.entries()) {
    const right = bars[index + 1];
    if (right === undefined || right.itemCode !== left.itemCode) continue;
    const spanMs = right.openedAtMs - left.openedAtMs;
    if (spanMs <= TEN_MINUTES_MS || spanMs > GAP_MS_MAX) continue;
    for (const atMs of new Set(due.filter((time) => time > left.openedAtMs && time < right.openedAtMs)))
      rows.push(barBetween(left, right, atMs));
  }
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const part = rows.slice(from, from + ROWS_AT_ONCE);
    await database.transaction((tx) => insertBars.all(tx, { rows: { rows: part } }), INSERT_MS_MAX);
  }
  return rows.length;
}

type Neighbour = {
  readonly itemCode: string;
  readonly itemType: string;
  readonly openedAtMs: number;
  readonly open: string;
  readonly close: string;
};

function barBetween(left: Neighbour, right: Neighbour, atMs: number): object {
  const price = textBetween(left.close, right.open, {
    part: BigInt(atMs - left.openedAtMs),
    whole: BigInt(right.openedAtMs - left.openedAtMs),
  });
  return {
    itemCode: left.itemCode,
    itemType: left.itemType,
    timeframe: "10m",
    openedAtMs: atMs,
    date: tehranDate(atMs),
    ...{ open: price, high: price, low: price, close: price },
    points: 0,
    expected: 1,
    source: "interpolated",
  };
}

/** Part of the way from one decimal to the other, with the decimals of the finer one. */
function textBetween(from: string, to: string, { part, whole }: { part: bigint; whole: bigint }): string {
  const decimals = Math.max(decimalsOf(from), decimalsOf(to));
  const [low, high] = [stepsAt(from, decimals), stepsAt(to, decimals)];
  const steps = low + divideRounded((high - low) * part, whole);
  const digits = steps.toString().padStart(decimals + 1, "0");
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function decimalsOf(text: string): number {
  return text.split(".")[1]?.length ?? 0;
}

function stepsAt(text: string, decimals: number): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}
