import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Database } from "../../db/database.ts";
import { bucketEnd, DAY_MS, HOUR_MS } from "../candles/frames.ts";
import { candlesKey, dayOf, MARKET_KEY, MARKET_PAIRS_KEY } from "../keys.ts";
import { pairStateFrom } from "../market-state.ts";
import type { CandleRow } from "../read/candle-rows.ts";
import { hotFrom } from "../read/candle-rows.ts";
import type { CandleArchive } from "./candle-archive.ts";
import { insertCandleArchive, listLastArchives, listNewestBars, rollUp, upsertBars } from "./history-queries.ts";

/**
 * The write-behind of candles: every ten seconds it brings 10-minute bars from Redis to `market_ohlc`, and once an
 * hour it rolls up the tiers and moves days of minutes to the archive. Bars are absolute and say which trades they hold,
 * so the table itself is the position: writing twice changes nothing, and a gap in the numbers is found and repaired
 * from the ledger. While PostgreSQL is unavailable Redis keeps the bars; the backlog is at most the hot window, and
 * `lag` says how far it has grown.
 */
export type KeptHistory = {
  /** One look now. */
  readonly flush: () => Promise<void>;
  readonly state: () => { readonly tradesBehind: number; readonly isFailing: boolean };
  readonly stop: () => Promise<void>;
};

type HistoryParts = {
  readonly database: Database;
  readonly redis: Redis;
  readonly archive: CandleArchive;
  /** Makes the bars of a pair and a range again from the ledger. */
  readonly repair: (range: { readonly pair: string; readonly from: number; readonly to: number }) => Promise<unknown>;
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly intervalMs: number;
};

export const TENS_KEPT_DAYS = 7;
export const HOURS_KEPT_DAYS = 90;
const UPKEEP_EVERY_MS = HOUR_MS;
/** Late trades are impossible two days later, and Redis still has the day for weeks. */
const ARCHIVE_AFTER_DAYS = 2;

type Known = { readonly lastTrade: number; readonly openTime: number };

export function keepHistory(parts: HistoryParts): KeptHistory {
  const { database, redis, archive, nowMs, log, intervalMs, repair } = parts;
  let known: Map<string, Known> | undefined;
  let upkeepAtMs = Number.NEGATIVE_INFINITY;
  let tradesBehind = 0;
  let isFailing = false;
  let isStopping = false;
  let running: Promise<void> = Promise.resolve();

  async function readKnown(): Promise<Map<string, Known>> {
    const rows = await listNewestBars.all(database, {});
    return new Map(rows.map(({ symbol, lastTrade, openTime }) => [symbol, { lastTrade, openTime }]));
  }

  async function rowsOf(pair: string, frame: "10m" | "1m", day: number): Promise<readonly CandleRow[]> {
    const bars = await redis.hgetall(candlesKey(pair, frame, day));
    const rows = Object.entries(bars).map(([openTime, text]) => ({ openTime: Number(openTime), text }));
    return rows.toSorted((a, b) => a.openTime - b.openTime);
  }

  /** The bars that hold trades after the last one in the table. */
  async function newRows(pair: string, before: Known | undefined, lastAt: number): Promise<readonly CandleRow[]> {
    const from = Math.max(before?.openTime ?? 0, hotFrom(nowMs()));
    const rows: CandleRow[] = [];
    for (let day = dayOf(from); day <= dayOf(lastAt); day++)
      for (const row of await rowsOf(pair, "10m", day)) if (lastTradeOf(row) > (before?.lastTrade ?? 0)) rows.push(row);
    return rows;
  }

  async function writePair(pair: string, text: string, journalAt: number): Promise<void> {
    const state = pairStateFrom(text);
    const before = known?.get(pair);
    if (state.trades <= (before?.lastTrade ?? 0)) return;
    const rows = await newRows(pair, before, state.lastAt);
    const first = rows[0];
    if (first === undefined || firstTradeOf(first) > (before?.lastTrade ?? 0) + 1) {
      log.warn({ pair }, "candles are missing between the table and Redis: repairing from the ledger");
      await repair({ pair, from: before?.openTime ?? 0, to: first?.openTime ?? state.lastAt });
      known = undefined;
      return;
    }
    const newest = rows.at(-1) as CandleRow;
    await upsertBars.all(database, {
      tf: "10m",
      source: "trades",
      symbols: rows.map(() => pair),
      openTimes: rows.map(({ openTime }) => String(openTime)),
      texts: rows.map((row) => row.text),
      complete: rows.map(({ openTime }) => String(bucketEnd("10m", openTime) <= journalAt)),
    });
    known?.set(pair, { lastTrade: lastTradeOf(newest), openTime: newest.openTime });
  }

  async function look(): Promise<void> {
    known ??= await readKnown();
    const [journalAt, states] = await Promise.all([redis.hget(MARKET_KEY, "at"), redis.hgetall(MARKET_PAIRS_KEY)]);
    const pairs = Object.entries(states);
    const behind = pairs.map(([pair, text]) => pairStateFrom(text).trades - (known?.get(pair)?.lastTrade ?? 0));
    tradesBehind = behind.reduce((sum, count) => sum + Math.max(0, count), 0);
    for (const [pair, text] of pairs) await writePair(pair, text, Number(journalAt ?? 0));
    tradesBehind = 0;
    if (performance.now() - upkeepAtMs < UPKEEP_EVERY_MS) return;
    await rollUpTiers(database, nowMs());
    await archiveDays(pairs.map(([pair]) => pair));
    upkeepAtMs = performance.now();
  }

  async function archiveDays(pairs: readonly string[]): Promise<void> {
    const last = new Map((await listLastArchives.all(database, {})).map(({ symbol, day }) => [symbol, day]));
    const firstHot = dayOf(hotFrom(nowMs()));
    for (const pair of pairs) {
      const from = Math.max((last.get(pair) ?? 0) + 1, firstHot);
      for (let day = from; day <= dayOf(nowMs()) - ARCHIVE_AFTER_DAYS && !isStopping; day++) {
        const rows = await rowsOf(pair, "1m", day);
        if (rows.length === 0) continue;
        const { path, sha256 } = await archive.write(pair, day, rows);
        await insertCandleArchive.all(database, { symbol: pair, day, path, bars: rows.length, sha256 });
      }
    }
  }

  async function lookSafely(): Promise<void> {
    try {
      await look();
      if (isFailing) log.info("the write-behind of candles continues");
      isFailing = false;
    } catch (error) {
      known = undefined;
      if (!isFailing && !isStopping)
        log.warn({ err: error }, "candles cannot be written to PostgreSQL; Redis keeps them");
      isFailing = true;
    } finally {
      if (!isStopping) timer.refresh();
    }
  }

  const timer = setTimeout(() => {
    running = lookSafely();
  }, intervalMs);
  timer.unref();
  return {
    flush: look,
    state: () => ({ tradesBehind, isFailing }),
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Days are whole in each tier. */
export async function rollUpTiers(database: Database, nowMs: number): Promise<void> {
  const today = dayOf(nowMs);
  const before = (days: number) => String((today - days) * DAY_MS);
  await rollUp.all(database, { fromTf: "10m", toTf: "1h", spanMs: String(HOUR_MS), before: before(TENS_KEPT_DAYS) });
  await rollUp.all(database, { fromTf: "1h", toTf: "1d", spanMs: String(DAY_MS), before: before(HOURS_KEPT_DAYS + 1) });
}

const firstTradeOf = ({ text }: CandleRow) => Number(text.split(",").at(-2));
const lastTradeOf = ({ text }: CandleRow) => Number(text.split(",").at(-1));
