import type { DayFigures } from "../summary/day-window.ts";

/**
 * The pump score of a pair, from 0 to 100: how unusual the last 15 minutes are against the 24 hours before them.
 *
 *   return  = last price / last price before the 15 minutes - 1
 *   usual   = (high - low) / low of the past / sqrt(96), at least 0.25 %: a random walk's range in 15 minutes
 *   up      = return / (4 × usual), from 0 to 1
 *   busy(x) = log2(1 + x) / log2(17), from 0 to 1, where x is 15 minutes against the average of the past
 *   score   = 100 × up × (1 + 2 × busy(quote volume) + busy(trades)) / 4
 *
 * So it grows with return, volume and trades, and is 0 for a falling price. It is 0 below the volume filter, and there
 * is none for a pair with less than an hour of history.
 */
export type PumpFacts = {
  /** The last 15 minutes; undefined when nothing was traded. */
  readonly recent: Pick<DayFigures, "close" | "quoteVolume" | "trades"> | undefined;
  /** The 24 hours before them; undefined when nothing was traded. */
  readonly past: DayFigures | undefined;
  /** How long ago the oldest trade of the past was. */
  readonly historyMs: number;
  /** The smallest quote volume of 24 hours that counts. */
  readonly quoteVolumeMin: bigint;
};

export const RECENT_MINUTES = 15;
const SPANS_PER_DAY = (24 * 60) / RECENT_MINUTES;
const HISTORY_MS_MIN = 3_600_000;
const USUAL_MIN = 0.0025;
const UP_USUALS = 4;
const BUSY_MAX = 16;

export function pumpScore({ recent, past, historyMs, quoteVolumeMin }: PumpFacts): number | undefined {
  if (past === undefined || historyMs < HISTORY_MS_MIN) return undefined;
  if (recent === undefined || past.quoteVolume + recent.quoteVolume < quoteVolumeMin) return 0;
  const gain = ratio(recent.close, past.close) - 1;
  const usual = Math.max(USUAL_MIN, (ratio(past.high, past.low) - 1) / Math.sqrt(SPANS_PER_DAY));
  const up = clamp(gain / (UP_USUALS * usual));
  const volume = busy(ratio(recent.quoteVolume, past.quoteVolume) * SPANS_PER_DAY);
  const trades = busy((recent.trades / past.trades) * SPANS_PER_DAY);
  return (100 * up * (1 + 2 * volume + trades)) / 4;
}

const clamp = (share: number) => Math.min(1, Math.max(0, share));
const busy = (times: number) => clamp(Math.log2(1 + times) / Math.log2(1 + BUSY_MAX));
const ratio = (a: bigint, b: bigint) => Number(a) / Number(b);

/** A published score moves only by this much or more, so that a list does not flicker. */
const STEP_MIN = 2;

/** The score to publish after another one: the new one if it is far enough away, or at an end of the scale. */
export function steadyScore(published: number | undefined, score: number | undefined): number | undefined {
  if (published === undefined || score === undefined || score === 0 || score === 100) return score;
  return Math.abs(score - published) >= STEP_MIN ? score : published;
}

/** The spread of a book in percent of its middle, from decimal texts; undefined when a side is empty. */
export function gapPercent(bestBid: string | null, bestAsk: string | null): number | undefined {
  if (bestBid === null || bestAsk === null) return undefined;
  const [bid, ask] = [Number(bestBid), Number(bestAsk)];
  return ((ask - bid) / ((ask + bid) / 2)) * 100;
}
