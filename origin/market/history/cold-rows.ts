import type { Database } from "../../db/database.ts";
import { mergeUpward } from "../candles/bar.ts";
import { barFrom, barText } from "../candles/bar-text.ts";
import type { PairScales } from "../candles/candle-view.ts";
import { bucketStart, DAY_MS, FRAME_MS, type Frame, HOUR_MS } from "../candles/frames.ts";
import { dayOf } from "../keys.ts";
import type { CandleRow, ColdRows, RowRange } from "../read/candle-rows.ts";
import type { CandleArchive } from "./candle-archive.ts";
import { listBars, listCandleArchives } from "./history-queries.ts";
import { HOURS_KEPT_DAYS } from "./keep-history.ts";

type ColdParts = {
  readonly database: Database;
  readonly archive: CandleArchive;
  readonly scalesOf: (pair: string) => Promise<PairScales | undefined>;
  readonly nowMs: () => number;
};

/** Files that are read at the same time: a week of minutes. */
const FILES_AT_ONCE = 8;

/**
 * Bars that have left Redis. Each stretch comes from the coarsest store that still has what the frame needs: days and
 * longer from the table alone, hours from the table for 90 days, everything else from the minutes in the archive.
 * Stretches do not overlap, so a bar comes once. When PostgreSQL is unavailable, the question fails.
 */
export function openColdRows({ database, archive, scalesOf, nowMs }: ColdParts): ColdRows {
  async function fromTable({ pair, from, to }: RowRange, tfs: readonly string[]): Promise<readonly CandleRow[]> {
    return listBars.all(database, { symbol: pair, tfs, from: String(from), to: String(to) });
  }

  /** As many files as the limit needs: each of them has at least one bar of the frame, so at most `limit`. */
  async function fromArchive({ pair, frame, from, to, limit, isNewest }: RowRange): Promise<readonly CandleRow[]> {
    const days = { symbol: pair, firstDay: String(dayOf(from)), lastDay: String(dayOf(to)) };
    const files = await listCandleArchives.all(database, days);
    const ordered = isNewest ? files.toReversed() : files;
    const rows: CandleRow[] = [];
    const buckets = new Set<number>();
    for (let at = 0; at < ordered.length && buckets.size < limit; at += FILES_AT_ONCE) {
      const days = await Promise.all(ordered.slice(at, at + FILES_AT_ONCE).map(archive.read));
      for (const row of days.flat()) {
        if (row.openTime < from || row.openTime > to) continue;
        rows.push(row);
        buckets.add(bucketStart(frame, row.openTime));
      }
    }
    return rows.sort((a, b) => a.openTime - b.openTime);
  }

  async function finest(range: RowRange): Promise<readonly CandleRow[]> {
    const { frame, from, to } = range;
    if (FRAME_MS[frame] >= DAY_MS) return fromTable(range, ["10m", "1h", "1d"]);
    if (FRAME_MS[frame] < HOUR_MS) return fromArchive(range);
    const border = (dayOf(nowMs()) - HOURS_KEPT_DAYS) * DAY_MS;
    const older = from < border ? await fromArchive({ ...range, to: Math.min(to, border - 1) }) : [];
    const newer = to >= border ? await fromTable({ ...range, from: Math.max(from, border) }, ["10m", "1h"]) : [];
    return [...older, ...newer];
  }

  return {
    async read(range) {
      const scales = await scalesOf(range.pair);
      if (range.frame === "1s" || scales === undefined) return [];
      // A bucket that begins in the range may end after it.
      const to = Math.max(range.to, lastOf(range.frame, range.to));
      const bars = (await finest({ ...range, to })).map(({ openTime, text }) => barFrom(openTime, text, scales));
      const merged = mergeUpward(bars, (at) => bucketStart(range.frame, at)).filter(
        ({ openTime }) => openTime >= range.from && openTime <= range.to,
      );
      const shown = range.isNewest ? merged.slice(-range.limit) : merged.slice(0, range.limit);
      return shown.map((bar) => ({ openTime: bar.openTime, text: barText(bar, scales) }));
    },
  };
}

/** The last millisecond of the bucket of a time, at most. */
function lastOf(frame: Frame, at: number): number {
  return bucketStart(frame, at) + FRAME_MS[frame] - 1;
}
