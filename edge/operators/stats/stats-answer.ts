import { forecastWait } from "../../line/estimate.ts";
import type { QueueStats } from "./read-stats.ts";
import { hoursOf, MINUTES_KEPT, minutesOf, type Span } from "./series.ts";
import { percentilesOf } from "./wait-histogram.ts";

/** A queue's numbers for operators. */
export function statsAnswer(stats: QueueStats, hours: number) {
  const spans = hoursOf(stats, hours);
  return {
    at: stats.nowMs,
    live: liveAnswer(stats),
    totals: { ...sumOf(spans), waitMs: percentilesOf(addWaits(spans)) },
    hours: spans.map(hourAnswer),
    minutes: minutesOf(stats, MINUTES_KEPT).map(minuteAnswer),
  };
}

/** Modes in which a waiting visitor may enter. */
const MOVING_MODES: ReadonlySet<string> = new Set(["active", "drain", "open"]);
const MINUTE_MS = 60_000;

function liveAnswer(stats: QueueStats) {
  const { mode, phase, waiting, ready, active, maxActive, admissionRate, flow } = stats;
  const admissionsPerSecond = measuredRateOf(stats) || rateOfLastMinute(stats);
  const isMoving = MOVING_MODES.has(mode) && (phase === "open" || phase === "over");
  // The last visitor in line gets the same estimate.
  const { estimate, isStalled } = forecastWait({ position: Math.max(1, waiting), total: waiting, flow, admissionRate });
  const clearsInSeconds = waiting === 0 ? 0 : isMoving && !isStalled ? estimate.likely : null;
  return {
    mode,
    waiting,
    ready,
    active,
    maxActive,
    admissionRate,
    admissionsPerSecond,
    clearsInSeconds,
    isStalled: waiting > 0 && isMoving && isStalled,
  };
}

/** The average behind the estimates; 0 when no visitor waits. */
export function measuredRateOf({ waiting, flow }: QueueStats): number {
  return waiting > 0 ? flow.admissionsPerSecond : 0;
}

function rateOfLastMinute(stats: QueueStats): number {
  const [before, running] = minutesOf(stats, 2);
  if (before === undefined || running === undefined) return 0;
  const shareOfBefore = Math.max(0, 1 - (stats.nowMs - running.startsAtMs) / MINUTE_MS);
  return Math.round(((running.admitted + before.admitted * shareOfBefore) * 1_000_000) / MINUTE_MS) / 1000;
}

function flowOf({ enqueued, admitted, expired, left }: Span) {
  return { enqueued, admitted, expired, left };
}

function hourAnswer(span: Span) {
  const ended = span.admitted + span.expired + span.left;
  return {
    startsAt: span.startsAtMs,
    ...flowOf(span),
    peakWaiting: span.peakWaiting,
    meanWaitMs: ended === 0 ? null : Math.round(span.waitMsSum / ended),
    waitMs: percentilesOf(span.waits),
  };
}

function minuteAnswer(span: Span) {
  return { startsAt: span.startsAtMs, ...flowOf(span), peakWaiting: span.peakWaiting, peakActive: span.peakActive };
}

function sumOf(spans: readonly Span[]) {
  const total = { enqueued: 0, admitted: 0, expired: 0, left: 0 };
  for (const span of spans) {
    total.enqueued += span.enqueued;
    total.admitted += span.admitted;
    total.expired += span.expired;
    total.left += span.left;
  }
  return total;
}

function addWaits(spans: readonly Span[]): readonly number[] {
  const sum: number[] = [];
  for (const { waits } of spans)
    for (const [bucket, count] of waits.entries()) sum[bucket] = (sum[bucket] ?? 0) + count;
  return sum;
}
