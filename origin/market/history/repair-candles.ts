import type { Redis } from "ioredis";
import type { Database } from "../../db/database.ts";
import { createGrids } from "../../instruments/grids.ts";
import { replies } from "../../redis/pipeline.ts";
import { createNaiveMinutes } from "../audit/naive-minutes.ts";
import { type Bar, mergeUpward } from "../candles/bar.ts";
import { barText } from "../candles/bar-text.ts";
import type { PairScales } from "../candles/candle-view.ts";
import { bucketEnd, bucketStart, DAY_MS, FRAMES, type Frame } from "../candles/frames.ts";
import { candlesKey, dayOf, MARKET_KEY } from "../keys.ts";
import type { LedgerReader } from "../ledger-reader.ts";
import { positionFrom } from "../load-market.ts";
import { hotFrom } from "../read/candle-rows.ts";
import { deleteBars, upsertBars } from "./history-queries.ts";
import { HOURS_KEPT_DAYS, TENS_KEPT_DAYS } from "./keep-history.ts";

type RepairParts = {
  readonly database: Database;
  readonly redis: Redis;
  readonly ledger: LedgerReader;
  readonly nowMs: number;
};

export type RepairRange = { readonly pair: string; readonly from: number; readonly to: number };

export type Repaired = { readonly trades: number; readonly bars: number };

/**
 * Makes the closed bars of a pair and of whole days again from the ledger, in Redis and in PostgreSQL. Open bars belong
 * to the projection and stay. Repeating it changes nothing.
 */
export async function repairCandles(parts: RepairParts, { pair, from, to }: RepairRange): Promise<Repaired> {
  const { redis, ledger, nowMs } = parts;
  const position = positionFrom(await redis.hgetall(MARKET_KEY));
  const start = bucketStart("1d", from);
  const end = Math.min(bucketEnd("1d", bucketStart("1d", to)), bucketStart("10m", position.at || nowMs));
  const grids = createGrids();
  grids.learn(await ledger.terms());
  const minutes = createNaiveMinutes();
  const after = await ledger.lastTradeBefore(start);
  const { sequence: upTo } = await ledger.position();
  for await (const page of ledger.trades(grids, { after, upTo, pair, before: end }))
    for (const trade of page) minutes.add(trade, grids.of(trade.pair, trade.grid));
  const scales = minutes.scales();
  const bars = scales === undefined ? [] : minutes.bars((await ledger.countTrades(pair, after)) + 1);
  const range = { pair, from: start, to: end };
  const ofFrames = FRAMES.filter((frame) => frame !== "1s").map((frame) => {
    const merged = mergeUpward(bars, (at) => bucketStart(frame, at));
    // A longer bucket may begin before the range or end after it.
    return [frame, merged.filter((bar) => bar.openTime >= start && bucketEnd(frame, bar.openTime) <= end)] as const;
  });
  for (const [frame, all] of ofFrames) await writeHot(redis, { ...range, frame, bars: all, scales, nowMs });
  if (start < end) await writeTable(parts.database, { ...range, ofFrames: new Map(ofFrames), scales, nowMs });
  return { trades: minutes.trades(), bars: ofFrames.reduce((sum, [, all]) => sum + all.length, 0) };
}

type HotWrite = RepairRange & {
  readonly frame: Frame;
  readonly bars: readonly Bar[];
  readonly scales: PairScales | undefined;
  readonly nowMs: number;
};

/** The bars of the range, and no others. */
async function writeHot(redis: Redis, { pair, frame, from, to, bars, scales, nowMs }: HotWrite): Promise<void> {
  const byDay = Map.groupBy(bars, ({ openTime }) => dayOf(openTime));
  const isOurs = (openTime: number) => openTime >= from && bucketEnd(frame, openTime) <= to;
  for (let day = dayOf(Math.max(from, hotFrom(nowMs))); day * DAY_MS < to; day++) {
    const key = candlesKey(pair, frame, day);
    const wanted = byDay.get(day) ?? [];
    const held = (await redis.hkeys(key)).filter((name) => isOurs(Number(name)));
    const strays = held.filter((name) => !wanted.some(({ openTime }) => String(openTime) === name));
    const writing = redis.pipeline();
    if (strays.length > 0) writing.hdel(key, ...strays);
    if (wanted.length > 0 && scales !== undefined)
      writing.hset(key, ...wanted.flatMap((bar) => [String(bar.openTime), barText(bar, scales)]));
    await replies(writing);
  }
}

type TableWrite = RepairRange & {
  readonly ofFrames: ReadonlyMap<Frame, readonly Bar[]>;
  readonly scales: PairScales | undefined;
  readonly nowMs: number;
};

/** Each day goes to the tier that it belongs to by its age. */
async function writeTable(database: Database, { pair, from, to, ofFrames, scales, nowMs }: TableWrite): Promise<void> {
  const today = dayOf(nowMs);
  const tiers = [
    { tf: "10m", from: (today - TENS_KEPT_DAYS) * DAY_MS, to },
    { tf: "1h", from: (today - HOURS_KEPT_DAYS - 1) * DAY_MS, to: (today - TENS_KEPT_DAYS) * DAY_MS },
    { tf: "1d", from: 0, to: (today - HOURS_KEPT_DAYS - 1) * DAY_MS },
  ] as const;
  await database.transaction(async (tx) => {
    await deleteBars.all(tx, { symbol: pair, from: String(from), to: String(to - 1) });
    for (const tier of tiers) {
      const bars = (ofFrames.get(tier.tf) ?? []).filter(({ openTime }) => openTime >= tier.from && openTime < tier.to);
      if (bars.length === 0 || scales === undefined) continue;
      await upsertBars.all(tx, {
        tf: tier.tf,
        source: "rebuild",
        symbols: bars.map(() => pair),
        openTimes: bars.map(({ openTime }) => String(openTime)),
        texts: bars.map((bar) => barText(bar, scales)),
        complete: bars.map(() => "true"),
      });
    }
  });
}
