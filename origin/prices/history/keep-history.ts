import type { Logger } from "pino";
import type { Clock } from "../../../shared/clock.ts";
import type { Database } from "../../db/database.ts";
import { addDays, HOUR_MS, MINUTE_MS, tehranDate, tehranTime } from "../calendar/tehran-time.ts";
import { readPriceSettings } from "../fetch/fetch-queries.ts";
import { deleteIntraday } from "./history-queries.ts";
import { interpolate } from "./interpolate.ts";
import { rollUpTiers } from "./roll-up-tiers.ts";

/**
 * The jobs of the history. Every hour of Tehran: gaps are filled, and bars that are old enough are merged. At midnight
 * in Tehran the courses before yesterday are deleted. Each step is repeatable and atomic, so that it does not matter
 * which process runs it, how often, or when it was killed.
 */
export type KeptHistory = {
  /** Runs all jobs now. */
  readonly run: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

type HistoryParts = {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** Null: only `run` runs. */
  readonly everyMs?: number | null;
};

const LOOK_EVERY_MS = MINUTE_MS;

export function keepHistory({ database, clock, log, everyMs = LOOK_EVERY_MS }: HistoryParts): KeptHistory {
  let lastHour = "";
  let isStopping = false;
  let running: Promise<void> | undefined;

  async function runOnce(): Promise<void> {
    const nowMs = clock.nowMs();
    const { schedule } = await readPriceSettings(database);
    await interpolate(database, { nowMs, schedule });
    const made = await rollUpTiers(database, { nowMs, schedule, isStopping: () => isStopping });
    await deleteIntraday.all(database, { before: addDays(tehranDate(nowMs), -1) });
    if (made > 0) log.info({ bars: made }, "merged old prices into coarser bars");
  }

  function run(): Promise<void> {
    running ??= runOnce().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function look(): Promise<void> {
    const hour = hourOf(clock.nowMs());
    try {
      if (hour !== lastHour) await run();
      lastHour = hour;
    } catch (error) {
      log.warn({ err: error }, "old prices could not be merged");
    } finally {
      if (!isStopping) timer?.refresh();
    }
  }

  const timer = everyMs === null ? undefined : setTimeout(() => void look(), everyMs).unref();
  return {
    run,
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      await running?.catch(() => {});
    },
  };
}

/** The hour in Tehran, with its day: a new day is a new hour. */
function hourOf(atMs: number): string {
  const { date, minuteOfDay } = tehranTime(atMs);
  return `${date} ${Math.floor((minuteOfDay * MINUTE_MS) / HOUR_MS)}`;
}
