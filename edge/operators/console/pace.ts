import type { QueueStats } from "./client/api-shapes.ts";

/** One reading of the statistics: admissions, minute by minute. */
export type PaceReading = Pick<QueueStats, "at" | "minutes">;

/**
 * Long enough that a slow line does not jump between nothing and something, short enough that a pause is seen at once.
 */
const WINDOW_MS = 9_000;
/** The reach of the window. */
const MINUTES_LOOKED_AT = 3;

/** Adds a reading and lets go of those that the window has left behind. */
export function withReading(readings: readonly PaceReading[], { at, minutes }: PaceReading): readonly PaceReading[] {
  const kept = readings.filter(
    (_, index) => index === readings.length - 1 || (readings[index + 1]?.at ?? 0) > at - WINDOW_MS,
  );
  return [...kept.filter((reading) => reading.at < at), { at, minutes: minutes.slice(-MINUTES_LOOKED_AT) }];
}

/** Admissions per second over the window, counted and not estimated. Undefined with fewer than two readings. */
export function paceOf(readings: readonly PaceReading[]): number | undefined {
  const [oldest, newest] = [readings[0], readings.at(-1)];
  if (oldest === undefined || newest === undefined || newest.at <= oldest.at) return undefined;
  const before = new Map(oldest.minutes.map(({ startsAt, admitted }) => [startsAt, admitted]));
  const firstMinute = oldest.minutes[0]?.startsAt ?? 0;
  const admitted = newest.minutes
    .filter(({ startsAt }) => startsAt >= firstMinute)
    .reduce((total, minute) => total + minute.admitted - (before.get(minute.startsAt) ?? 0), 0);
  return Math.max(0, admitted) / ((newest.at - oldest.at) / 1000);
}
