import type { Redis } from "ioredis";
import { areEqual, type Bar, mergeUpward } from "../candles/bar.ts";
import { barFrom, barText } from "../candles/bar-text.ts";
import type { PairScales } from "../candles/candle-view.ts";
import { bucketEnd, bucketStart, DAY_MS, FRAMES, type Frame, MINUTE_MS } from "../candles/frames.ts";
import { candlesKey, dayOf } from "../keys.ts";
import { HOT_DAYS, HOT_SECONDS_MS } from "../pair-market.ts";
import type { NaiveMinutes } from "./naive-minutes.ts";
import type { PairSnapshot } from "./read-snapshots.ts";

type Comparison = {
  readonly snapshot: PairSnapshot;
  readonly naive: NaiveMinutes;
  /** 0 for everything. */
  readonly fromMs: number;
  readonly find: (sentence: string) => void;
};

/** Compares all bars of a pair that Redis must have; returns how many. */
export async function compareCandles(redis: Redis, comparison: Comparison): Promise<number> {
  const { snapshot, naive, fromMs, find } = comparison;
  const { pair, state } = snapshot;
  const scales = naive.scales();
  if (fromMs === 0 && naive.trades() !== state.trades) {
    find(`${pair}: ${state.trades} trades are numbered, the ledger has ${naive.trades()}`);
    return 0;
  }
  if (scales === undefined) return 0;
  const minutes = naive.bars(state.trades - naive.trades() + 1);
  let compared = 0;
  for (const frame of FRAMES) {
    // Seconds are checked by their sums, the minutes.
    const expected = frame === "1s" ? [] : mergeUpward(minutes, (at) => bucketStart(frame, at));
    const stored = await storedBars(redis, {
      snapshot,
      frame,
      scales,
      fromMs: firstDue(expected, fromMs, state.lastAt),
    });
    compared += stored.size;
    if (frame === "1s") compareSeconds({ pair, stored, minutes, lastAt: state.lastAt, find });
    else compareFrame({ pair, frame, stored, expected, fromMs, lastAt: state.lastAt, scales, find });
  }
  return compared;
}

/** Only a bar whose bucket lies in the range was recomputed as a whole. */
const isDue = (openTime: number, fromMs: number, lastAt: number) =>
  openTime >= fromMs && openTime >= lastAt - HOT_DAYS * DAY_MS;

function firstDue(expected: readonly Bar[], fromMs: number, lastAt: number): number {
  return expected.find(({ openTime }) => isDue(openTime, fromMs, lastAt))?.openTime ?? lastAt - HOT_SECONDS_MS;
}

type FrameToRead = {
  readonly snapshot: PairSnapshot;
  readonly frame: Frame;
  readonly scales: PairScales;
  readonly fromMs: number;
};

/** The newest bar as of the snapshot, and those before it, which do not change any more. */
async function storedBars(redis: Redis, { snapshot, frame, scales, fromMs }: FrameToRead): Promise<Map<number, Bar>> {
  const { pair, state, newest } = snapshot;
  const last = bucketStart(frame, state.lastAt);
  const bars = new Map<number, Bar>();
  for (let day = dayOf(fromMs); day <= dayOf(last); day++) {
    for (const [openTime, text] of Object.entries(await redis.hgetall(candlesKey(pair, frame, day))))
      if (Number(openTime) < last) bars.set(Number(openTime), barFrom(Number(openTime), text, scales));
  }
  const text = newest.get(frame);
  if (text !== undefined) bars.set(last, barFrom(last, text, scales));
  return bars;
}

type FrameComparison = {
  readonly pair: string;
  readonly frame: Frame;
  readonly stored: ReadonlyMap<number, Bar>;
  readonly expected: readonly Bar[];
  readonly fromMs: number;
  readonly lastAt: number;
  readonly scales: PairScales;
  readonly find: (sentence: string) => void;
};

function compareFrame({ pair, frame, stored, expected, fromMs, lastAt, scales, find }: FrameComparison): void {
  const known = new Set<number>();
  for (const bar of expected) {
    known.add(bar.openTime);
    if (!isDue(bar.openTime, fromMs, lastAt)) continue;
    const held = stored.get(bar.openTime);
    const [has, should] = [held && barText(held, scales), barText(bar, scales)];
    if (has !== should)
      find(
        `${pair} ${frame} at ${new Date(bar.openTime).toISOString()}: ${has ?? "no bar"} in Redis, ${should} by the ledger`,
      );
  }
  for (const openTime of stored.keys())
    if (isDue(openTime, fromMs, lastAt) && !known.has(openTime))
      find(`${pair} ${frame} at ${new Date(openTime).toISOString()}: a bar in Redis without trades in the ledger`);
}

type SecondsComparison = {
  readonly pair: string;
  readonly stored: ReadonlyMap<number, Bar>;
  readonly minutes: readonly Bar[];
  readonly lastAt: number;
  readonly find: (sentence: string) => void;
};

/** Seconds of the last hour and of the last trade's day: older ones may have left already. */
function compareSeconds({ pair, stored, minutes, lastAt, find }: SecondsComparison): void {
  const from = Math.max(bucketStart("1d", lastAt), lastAt - HOT_SECONDS_MS + 2 * MINUTE_MS);
  const seconds = [...stored.values()].filter(({ openTime }) => openTime >= bucketEnd("1m", bucketStart("1m", from)));
  const merged = mergeUpward(
    seconds.toSorted((a, b) => a.openTime - b.openTime),
    (at) => bucketStart("1m", at),
  );
  const byMinute = new Map(minutes.map((bar) => [bar.openTime, bar]));
  for (const bar of merged) {
    const minute = byMinute.get(bar.openTime);
    if (minute === undefined || !areEqual(minute, bar))
      find(`${pair} 1s: the seconds of ${new Date(bar.openTime).toISOString()} do not add up to its minute`);
  }
}
