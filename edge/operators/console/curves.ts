import type { MinuteOfQueue, QueueStats } from "./client/api-shapes.ts";

/** One look at a queue while the console is open. */
export type Sample = {
  readonly atMs: number;
  readonly waiting: number;
  readonly active: number;
  readonly admittedPerSecond: number;
};

/** The charts' data: seconds since 1970, and the values at each; null where nothing is known. */
export type Curves = {
  readonly times: readonly number[];
  readonly waiting: readonly (number | null)[];
  readonly active: readonly (number | null)[];
  readonly admittedPerSecond: readonly (number | null)[];
};

export const RANGES = [
  { name: "15 min", spanMs: 15 * 60_000 },
  { name: "1 h", spanMs: 3_600_000 },
  { name: "3 h", spanMs: 3 * 3_600_000 },
  { name: "24 h", spanMs: 24 * 3_600_000 },
] as const;
export type Range = (typeof RANGES)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MINUTES_REACH_MS = 3 * HOUR_MS;

type Known = { readonly stats: QueueStats | undefined; readonly samples: readonly Sample[]; readonly nowMs: number };

/**
 * The statistics as far as they reach, and from when the console was opened what it has seen itself, which is finer.
 */
export function curvesOf({ stats, samples, nowMs }: Known, { spanMs }: Range): Curves {
  const fromMs = nowMs - spanMs;
  const seenFromMs = samples[0]?.atMs ?? nowMs;
  const points = [...pastPoints(stats, spanMs), ...samples.map(pointOfSample)]
    .filter(({ atMs, isPast }) => atMs >= fromMs && (!isPast || atMs < seenFromMs))
    .sort((left, right) => left.atMs - right.atMs);
  return {
    times: points.map(({ atMs }) => atMs / 1000),
    waiting: points.map(({ waiting }) => waiting),
    active: points.map(({ active }) => active),
    admittedPerSecond: points.map(({ admittedPerSecond }) => admittedPerSecond),
  };
}

type Point = {
  readonly atMs: number;
  readonly isPast: boolean;
  readonly waiting: number;
  readonly active: number | null;
  readonly admittedPerSecond: number;
};

function pastPoints(stats: QueueStats | undefined, spanMs: number): readonly Point[] {
  if (stats === undefined) return [];
  // The minute that is not over yet would look like a fall.
  const minutes = stats.minutes.filter(({ startsAt }) => startsAt + MINUTE_MS <= stats.at).map(pointOfMinute);
  if (spanMs <= MINUTES_REACH_MS) return minutes;
  const minutesFromMs = minutes[0]?.atMs ?? stats.at;
  const hours = stats.hours.map((hour) => ({ ...pointOfPeriod(hour, HOUR_MS), active: null }));
  return [...hours.filter(({ atMs }) => atMs + HOUR_MS / 2 <= minutesFromMs), ...minutes];
}

function pointOfMinute(minute: MinuteOfQueue): Point {
  return { ...pointOfPeriod(minute, MINUTE_MS), active: minute.peakActive };
}

function pointOfPeriod({ startsAt, peakWaiting, admitted }: Omit<MinuteOfQueue, "peakActive">, lengthMs: number) {
  return {
    atMs: startsAt + lengthMs / 2,
    isPast: true,
    waiting: peakWaiting,
    admittedPerSecond: admitted / (lengthMs / 1000),
  };
}

function pointOfSample({ atMs, waiting, active, admittedPerSecond }: Sample): Point {
  return { atMs, isPast: false, waiting, active, admittedPerSecond };
}
