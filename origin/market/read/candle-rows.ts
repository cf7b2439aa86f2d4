import type { Redis } from "ioredis";
import { replies } from "../../redis/pipeline.ts";
import { bucketStart, DAY_MS, FRAME_MS, type Frame, HOUR_MS } from "../candles/frames.ts";
import { candlesKey, dayOf } from "../keys.ts";
import { HOT_DAYS } from "../pair-market.ts";

/** A stored bar as its bucket and its text (`bar-text.ts`): a reader passes most of them on without parsing. */
export type CandleRow = {
  readonly openTime: number;
  readonly text: string;
  /** Made up for a demo. */
  readonly isDemo?: boolean;
};

export type RowRange = {
  readonly pair: string;
  readonly frame: Frame;
  /** Bars that begin in this range, both ends included. */
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  /** Of more bars than the limit, the newest; otherwise the oldest. */
  readonly isNewest: boolean;
};

/** Where older bars are: PostgreSQL and the archive. Ascending, at most `limit`. */
export type ColdRows = { readonly read: (range: RowRange) => Promise<readonly CandleRow[]> };

/** Bars that begin from this time on are in Redis, all others are not: so no bar is read twice or missed. */
export function hotFrom(nowMs: number): number {
  return (dayOf(nowMs) - HOT_DAYS) * DAY_MS;
}

/** Reads across Redis and the older stores, ascending. */
export async function readRows(
  { redis, cold, nowMs }: { readonly redis: Redis; readonly cold: ColdRows; readonly nowMs: number },
  range: RowRange,
): Promise<readonly CandleRow[]> {
  const border = hotFrom(nowMs);
  const hot = { ...range, from: Math.max(range.from, border) };
  const old = { ...range, to: Math.min(range.to, border - 1) };
  const hasOld = old.from <= old.to;
  if (range.isNewest) {
    const newest = hot.from > hot.to ? [] : await readHot(redis, hot);
    if (!hasOld || newest.length >= range.limit) return newest;
    return [...(await cold.read({ ...old, limit: range.limit - newest.length })), ...newest];
  }
  const oldest = hasOld ? await cold.read(old) : [];
  if (hot.from > hot.to || oldest.length >= range.limit) return oldest;
  return [...oldest, ...(await readHot(redis, { ...hot, limit: range.limit - oldest.length }))];
}

/** Days that are read in one round trip: a day of minutes is 1,440 bars, a month of hours 720. */
const daysAtOnce = (frame: Frame) => (FRAME_MS[frame] < HOUR_MS ? 2 : HOT_DAYS + 1);

async function readHot(redis: Redis, range: RowRange): Promise<readonly CandleRow[]> {
  const { pair, frame, limit, isNewest } = range;
  const days = daysOf(range);
  if (isNewest) days.reverse();
  const rows: CandleRow[] = [];
  for (let at = 0; at < days.length && rows.length < limit; at += daysAtOnce(frame)) {
    const page = days.slice(at, at + daysAtOnce(frame));
    const reading = redis.pipeline();
    for (const day of page) reading.hgetall(candlesKey(pair, frame, day));
    const found = (await replies(reading)) as Record<string, string>[];
    // Only bars of the range count towards the limit: a day at its end holds others too.
    for (const bars of found) addBars(rows, bars, range);
  }
  rows.sort((a, b) => a.openTime - b.openTime);
  return isNewest ? rows.slice(-limit) : rows.slice(0, limit);
}

function addBars(rows: CandleRow[], bars: Readonly<Record<string, string>>, { from, to }: RowRange): void {
  for (const name in bars) {
    const openTime = Number(name);
    if (openTime >= from && openTime <= to) rows.push({ openTime, text: bars[name] as string });
  }
}

/** The days that hold buckets of the range; of a long frame only those that a bucket begins on. */
function daysOf({ frame, from, to }: RowRange): number[] {
  const first = dayOf(from);
  const days = Array.from({ length: Math.max(0, dayOf(to) - first + 1) }, (_, place) => first + place);
  return FRAME_MS[frame] <= DAY_MS ? days : days.filter((day) => bucketStart(frame, day * DAY_MS) === day * DAY_MS);
}
