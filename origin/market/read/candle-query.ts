import type { Redis } from "ioredis";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { Grid } from "../../instruments/grid.ts";
import { type Bar, mergeUpward } from "../candles/bar.ts";
import { barFrom, barText } from "../candles/bar-text.ts";
import { bucketEnd, bucketStart, DAY_MS, FRAME_MS, type Frame } from "../candles/frames.ts";
import { hasWholeHours, type Zone, zoneBucketEnd, zoneBucketStart } from "../candles/zones.ts";
import { DEMO_UNTIL_KEY, demoName, MARKET_KEY } from "../keys.ts";
import { positionFrom } from "../load-market.ts";
import { type CandleRow, type ColdRows, type RowRange, readRows } from "./candle-rows.ts";

/** A question for candles, and everything that it may ask for. */
export type CandleQuery = {
  readonly pair: Grid;
  readonly frame: Frame;
  /** Undefined for UTC; only days and longer frames depend on it. */
  readonly zone: Zone | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly limit: number;
  readonly fill: "none" | "prev";
};

export type Candles = {
  /** Ascending. */
  readonly rows: readonly FilledRow[];
  /** Market data holds every trade up to this journal entry and its time. */
  readonly asOf: { readonly sequence: number; readonly at: number };
};

/** `closeTime` is the last millisecond of the bucket. */
export type FilledRow = CandleRow & { readonly closeTime: number; readonly isClosed: boolean };

export type CandleFault = "range_reversed" | "range_too_long";

type Stores = { readonly redis: Redis; readonly cold: ColdRows; readonly nowMs: () => number };

/** Between `from` and `to`: two months of minutes, eleven years of hours. */
const BUCKETS_MAX = 100_000;
/** Days of other zones are made from hours or quarters of an hour. */
const ZONE_DAYS_MAX = 120;

export async function readCandles(stores: Stores, query: CandleQuery): Promise<Result<Candles, CandleFault>> {
  const now = stores.nowMs();
  const zone = query.zone !== undefined && FRAME_MS[query.frame] >= DAY_MS ? query.zone : undefined;
  const asked = { ...query, zone };
  const range = rangeOf(asked, now);
  if (!range.ok) return range;
  const parts = { ...stores, nowMs: now };
  const [fields, demoUntil] = await Promise.all([stores.redis.hgetall(MARKET_KEY), stores.redis.get(DEMO_UNTIL_KEY)]);
  const position = positionFrom(fields);
  const asOf = { sequence: position.sequence, at: position.at };
  const readOf = (of: RowRange) => (zone === undefined ? readRows(parts, of) : readZoned(parts, asked, zone, of));
  const own = await readOf(range.value);
  const rows =
    demoUntil === null ? own : withDemo(own, await readOf(demoRange(range.value, Number(demoUntil))), range.value);
  const endOf = (start: number) =>
    zone === undefined ? bucketEnd(query.frame, start) : zoneBucketEnd(query.frame, start, zone);
  const filled =
    query.fill === "none" ? rows : await fillGaps(parts, { query: asked, range: range.value, rows, endOf });
  const shown = filled.map(({ openTime, text, isDemo = false }) => {
    const end = endOf(openTime);
    return { openTime, text, closeTime: end - 1, isClosed: isDemo || end <= position.at, isDemo };
  });
  return ok({ rows: shown, asOf });
}

function rangeOf(query: CandleQuery, now: number): Result<RowRange, CandleFault> {
  const { pair, frame, zone, from, to, limit, fill } = query;
  const span = FRAME_MS[frame];
  if (from !== undefined && to !== undefined && from > to) return fail("range_reversed");
  const bucketsMax = zone === undefined ? BUCKETS_MAX : (ZONE_DAYS_MAX * DAY_MS) / span;
  if (from !== undefined && to !== undefined && to - from > bucketsMax * span) return fail("range_too_long");
  const last = Math.min(to ?? now, now);
  // Every bucket has a bar when gaps are filled, so the limit says where the range begins.
  const first =
    from ?? (fill === "prev" ? startOf(query, last - (limit - 1) * span) : Math.max(0, last - bucketsMax * span));
  const range = { pair: pair.pair, frame, limit, isNewest: from === undefined };
  return ok({ ...range, from: first, to: Math.min(last, first + bucketsMax * span) });
}

/** Only bars that begin before the demo's bars were made. */
function demoRange(range: RowRange, until: number): RowRange {
  return { ...range, pair: demoName(range.pair), to: Math.min(range.to, until - 1) };
}

/** Bars of a demo fill what the pair has none for. */
function withDemo(own: readonly CandleRow[], demo: readonly CandleRow[], range: RowRange): readonly CandleRow[] {
  const known = new Set(own.map(({ openTime }) => openTime));
  const added = demo.filter(({ openTime }) => !known.has(openTime)).map((row) => ({ ...row, isDemo: true }));
  const all = [...own, ...added].sort((a, b) => a.openTime - b.openTime);
  return range.isNewest ? all.slice(-range.limit) : all.slice(0, range.limit);
}

function startOf({ frame, zone }: CandleQuery, at: number): number {
  return zone === undefined ? bucketStart(frame, at) : zoneBucketStart(frame, at, zone);
}

type Parts = { readonly redis: Redis; readonly cold: ColdRows; readonly nowMs: number };

async function readZoned(parts: Parts, query: CandleQuery, zone: Zone, range: RowRange): Promise<readonly CandleRow[]> {
  const { frame, pair } = query;
  const source = hasWholeHours(zone, range.from) && hasWholeHours(zone, range.to) ? "1h" : "15m";
  const from = zoneBucketStart(frame, range.from, zone);
  const limit = Math.ceil((range.to - from) / FRAME_MS[source]) + 1;
  const fine = await readRows(parts, {
    ...range,
    frame: source,
    from,
    to: zoneBucketEnd(frame, range.to, zone) - 1,
    limit,
  });
  const bars: readonly Bar[] = fine.map(({ openTime, text }) => barFrom(openTime, text, pair));
  const merged = mergeUpward(bars, (at) => zoneBucketStart(frame, at, zone)).filter(
    ({ openTime }) => openTime >= range.from && openTime <= range.to,
  );
  const shown = range.isNewest ? merged.slice(-range.limit) : merged.slice(0, range.limit);
  return shown.map((bar) => ({ openTime: bar.openTime, text: barText(bar, pair) }));
}

type Gaps = {
  readonly query: CandleQuery;
  readonly range: RowRange;
  readonly rows: readonly CandleRow[];
  readonly endOf: (start: number) => number;
};

/** Buckets without trades repeat the previous close, from the first known price on. */
async function fillGaps(parts: Parts, { query, range, rows, endOf }: Gaps): Promise<readonly CandleRow[]> {
  const first = startOf(query, range.from);
  const begin = first < range.from ? endOf(first) : first;
  let close = rows[0]?.openTime === begin ? undefined : await closeBefore(parts, range);
  const byTime = new Map(rows.map((row) => [row.openTime, row]));
  const filled: CandleRow[] = [];
  // Months are shorter than a frame's span, so a range that ends now may hold more buckets than the limit.
  const isFull = () => !range.isNewest && filled.length >= range.limit;
  for (let openTime = begin; openTime <= range.to && !isFull(); openTime = endOf(openTime)) {
    const row = byTime.get(openTime) ?? (close === undefined ? undefined : { openTime, text: flatText(close) });
    if (row === undefined) continue;
    filled.push(row);
    close = row.text.split(",")[3];
  }
  return filled.slice(-range.limit);
}

async function closeBefore(parts: Parts, range: RowRange): Promise<string | undefined> {
  const from = Math.max(0, range.from - BUCKETS_MAX * FRAME_MS[range.frame]);
  const [row] = await readRows(parts, { ...range, from, to: range.from - 1, limit: 1, isNewest: true });
  return row?.text.split(",")[3];
}

const flatText = (close: string) => `${close},${close},${close},${close},0,0,0,0,0,0,0`;
