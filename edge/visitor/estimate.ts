/** How long somebody at this place may have to wait, in whole seconds. */
export type WaitEstimate = { readonly low: number; readonly likely: number; readonly high: number };

type Line = {
  /** 1 for the next one in. */
  readonly position: number;
  /** As measured, or 0 while nothing is known. */
  readonly admissionsPerSecond: number;
  /** As configured: the best that can be expected. */
  readonly admissionRate: number;
};

/** Nobody plans beyond a day, and a line that stands still would otherwise have no end. */
const SECONDS_MAX = 86_400;
const LOW_SHARE = 0.75;
const HIGH_SHARE = 1.5;

export function estimateWait({ position, admissionsPerSecond, admissionRate }: Line): WaitEstimate {
  const seconds = position / (admissionsPerSecond > 0 ? admissionsPerSecond : admissionRate);
  const bounded = (share: number) => Math.min(SECONDS_MAX, Math.ceil(seconds * share));
  return { low: bounded(LOW_SHARE), likely: bounded(1), high: bounded(HIGH_SHARE) };
}
