import type { RunRecord } from "../record/run-record.ts";
import type { AdmissionLimits } from "./admission-limits.ts";
import { faultFreeTime } from "./fault-free-time.ts";
import { keepScore } from "./line-score.ts";
import { type Visit, visitsOf } from "./visits.ts";

/**
 * The longest time without an entry while a visitor waited, a slot was free and the rate allowed it. Faults do not
 * count.
 */
export function longestStall(
  { visitors, faults, durationMs }: RunRecord,
  { bellMs, ...limits }: AdmissionLimits,
): number {
  const score = keepScore(limits);
  const outside = faultFreeTime(faults);
  const since = (ms: number) => Math.max(0, outside(ms) - outside(bellMs));
  const events = visitsOf(visitors).flatMap(eventsOf);
  for (const { atMs, kind } of events.toSorted(
    (one, other) => one.atMs - other.atMs || RANKS[one.kind] - RANKS[other.kind],
  )) {
    const nowMs = since(atMs);
    if (kind === "freed") score.ended(nowMs);
    if (kind === "joined" || kind === "passed") score.joined(nowMs);
    if (kind === "admitted" || kind === "passed") score.admitted(nowMs);
  }
  return score.total(since(durationMs)).longestStallMs;
}

/** `passed`: admitted after a pause in polling, so the visitor was not waiting. */
type CrowdEvent = { readonly atMs: number; readonly kind: "freed" | "joined" | "passed" | "admitted" };

/** At equal times a slot is freed before it is assigned. */
const RANKS = { freed: 0, joined: 1, passed: 2, admitted: 2 } as const;

function eventsOf({ arrivedMs, admittedMs, freedMs, wasAway }: Visit): readonly CrowdEvent[] {
  const joined = { atMs: arrivedMs, kind: "joined" } as const;
  if (admittedMs < 0) return [joined];
  const freed = freedMs === Number.POSITIVE_INFINITY ? [] : [{ atMs: freedMs, kind: "freed" } as const];
  return wasAway
    ? [{ atMs: admittedMs, kind: "passed" }, ...freed]
    : [joined, { atMs: admittedMs, kind: "admitted" }, ...freed];
}
