import type { Bar } from "../candles/bar.ts";
import { bucketStart, MINUTE_MS } from "../candles/frames.ts";
import { type PumpFacts, RECENT_MINUTES } from "../signals/pump-score.ts";
import { createDayWindow, type DayFigures } from "./day-window.ts";

/** The minutes of one pair that its summary and its pump score are made from. */
export type PairDay = {
  /** Minutes in ascending order; the newest one again when it has changed. */
  readonly put: (minute: Bar) => void;
  /** Time never goes back. */
  readonly moveTo: (at: number) => void;
  readonly figures: () => DayFigures | undefined;
  readonly lastPrice: () => bigint | undefined;
  readonly pumpFacts: () => Omit<PumpFacts, "quoteVolumeMin">;
};

/** The oldest minute that a pair's day needs: the past of the pump score ends 15 minutes ago. */
export function dayStart(at: number): number {
  return bucketStart("1m", at) - (1_440 + RECENT_MINUTES) * MINUTE_MS;
}

export function createPairDay(lastPrice?: bigint): PairDay {
  const day = createDayWindow(lastPrice);
  const past = createDayWindow();
  /** Minutes that are not in the past yet. */
  let recent: Bar[] = [];
  let now = 0;

  function moveTo(at: number): void {
    now = at;
    const recentFrom = bucketStart("1m", at) - (RECENT_MINUTES - 1) * MINUTE_MS;
    for (const minute of recent) if (minute.openTime < recentFrom) past.put(minute);
    recent = recent.filter(({ openTime }) => openTime >= recentFrom);
    day.moveTo(at);
    past.moveTo(at - RECENT_MINUTES * MINUTE_MS);
  }

  return {
    put(minute) {
      day.put(minute);
      if (recent.at(-1)?.openTime === minute.openTime) recent[recent.length - 1] = minute;
      else recent.push(minute);
      // There may be no reader for a while, as in a rebuild: a day is held, not the whole history.
      if (recent.length > RECENT_MINUTES && minute.openTime > now) moveTo(minute.openTime);
    },
    moveTo,
    figures: day.read,
    lastPrice: day.lastPrice,
    pumpFacts() {
      const last = recent.at(-1);
      const sums = recent.reduce(
        (sum, { quoteVolume, trades }) => ({ quoteVolume: sum.quoteVolume + quoteVolume, trades: sum.trades + trades }),
        { quoteVolume: 0n, trades: 0 },
      );
      return {
        recent: last && { close: last.close, ...sums },
        past: past.read(),
        historyMs: now - (past.oldest() ?? now),
      };
    },
  };
}
