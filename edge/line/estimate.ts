import type { LineFlow } from "./answer.ts";

/**
 * How long a visitor may have to wait, in whole seconds from now: the one estimate for the page, the API and the
 * console. The wait lies between `low` and `high` for nine of ten visitors (the simulation checks it).
 */
export type WaitEstimate = { readonly low: number; readonly likely: number; readonly high: number };

export type WaitForecast = {
  readonly estimate: WaitEstimate;
  /** The room is full and no session ends: the estimate gives only the best and the worst case. */
  readonly isStalled: boolean;
};

type Line = {
  /** 1 for the next visitor to enter; null when it may be any of `total`. */
  readonly position: number | null;
  readonly total: number;
  readonly flow: LineFlow;
  /** As configured: the best that can be expected. */
  readonly admissionRate: number;
  /** How long until the line begins to move. */
  readonly opensInSeconds?: number;
  /** In a full room: how long until the slot for this place is free if no session is renewed. */
  readonly latestInSeconds?: number | undefined;
};

/** A line that does not move would otherwise have no end. */
const SECONDS_MAX = 86_400;
/** The pause between an entry that is possible and the poll that finds it. */
const POLL_SECONDS = 2;
/** The rate is kept exactly; how many of those before have left is not known. */
const RATE_RANGE = { low: 0.7, high: 1.2 };
/** How fast visitors leave changes from minute to minute. */
const LEAVING_RANGE = { low: 0.3, high: 2.5 };
/** A full room in which no session ended for this long, or for this many times the usual pause, is stalled. */
const STALL_MS_MIN = 10_000;
const STALL_PAUSES = 5;

export function forecastWait({
  position,
  total,
  flow,
  admissionRate,
  opensInSeconds = 0,
  latestInSeconds,
}: Line): WaitForecast {
  const [first, middle, last] = position === null ? [1, (1 + total) / 2, total] : [position, position, position];
  const bestSeconds = (place: number) => place / admissionRate;
  const latest = latestInSeconds === undefined ? SECONDS_MAX : latestInSeconds + bestSeconds(last) + POLL_SECONDS;
  if (opensInSeconds === 0 && isStalled(flow)) {
    return {
      estimate: rounded({ low: bestSeconds(first) * flow.presentShare * RATE_RANGE.low, likely: latest, high: latest }),
      isStalled: true,
    };
  }
  const wait = (place: number): Wait => {
    const present = place * flow.presentShare;
    const byRate = bestSeconds(present);
    const behind = opensInSeconds > 0 ? 0 : present - flow.freeSlots;
    if (behind <= 0)
      return {
        low: byRate * RATE_RANGE.low,
        likely: byRate,
        high: Math.max(byRate * RATE_RANGE.high, bestSeconds(place)),
      };
    // With more visitors inside, more leave. Until some have left, only the ends of their sessions are known.
    const perSecond = (flow.freedPerSecond * (flow.takenSlots + flow.freeSlots)) / Math.max(1, flow.takenSlots);
    if (perSecond === 0) return { low: byRate * RATE_RANGE.low, likely: Math.max(byRate, latest / 2), high: latest };
    const seconds = Math.max(byRate, behind / perSecond);
    return {
      low: Math.max(seconds * LEAVING_RANGE.low, byRate * RATE_RANGE.low),
      likely: seconds,
      high: seconds * LEAVING_RANGE.high,
    };
  };
  const estimate = {
    low: opensInSeconds + wait(first).low - POLL_SECONDS / 2,
    likely: opensInSeconds + wait(middle).likely,
    high: opensInSeconds + wait(last).high + POLL_SECONDS,
  };
  return { estimate: rounded(estimate), isStalled: false };
}

type Wait = { readonly low: number; readonly likely: number; readonly high: number };

function isStalled({ freeSlots, freedPerSecond, stillMs }: LineFlow): boolean {
  if (freeSlots > 0) return false;
  return freedPerSecond === 0 || stillMs > Math.max(STALL_MS_MIN, (STALL_PAUSES * 1000) / freedPerSecond);
}

function rounded({ low, likely, high }: WaitEstimate): WaitEstimate {
  const whole = (seconds: number, round: (value: number) => number) =>
    Math.min(SECONDS_MAX, Math.max(0, round(seconds)));
  return { low: whole(low, Math.floor), likely: whole(likely, Math.ceil), high: whole(high, Math.ceil) };
}
