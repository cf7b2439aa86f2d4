/** How long somebody at this place may have to wait, in whole seconds. */
export type WaitEstimate = { readonly low: number; readonly likely: number; readonly high: number };

type Line = {
  /** 1 for the next one in; null when it may be any of `total`. */
  readonly position: number | null;
  readonly total: number;
  /** As measured, or 0 while nothing is known. */
  readonly admissionsPerSecond: number;
  /** As configured: the best that can be expected. */
  readonly admissionRate: number;
  /** How long nobody goes in yet. */
  readonly opensInSeconds?: number;
};

/** Nobody plans beyond a day, and a line that stands still would otherwise have no end. */
const SECONDS_MAX = 86_400;
const LOW_SHARE = 0.75;
const HIGH_SHARE = 1.5;

export function estimateWait({ position, total, admissionsPerSecond, admissionRate, opensInSeconds = 0 }: Line): WaitEstimate {
  const speed = admissionsPerSecond > 0 ? admissionsPerSecond : admissionRate;
  const bounded = (place: number, share: number) => Math.min(SECONDS_MAX, Math.ceil(opensInSeconds + (place / speed) * share));
  const [first, middle, last] = position === null ? [1, (1 + total) / 2, total] : [position, position, position];
  return { low: bounded(first, LOW_SHARE), likely: bounded(middle, 1), high: bounded(last, HIGH_SHARE) };
}
