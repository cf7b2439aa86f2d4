import type { RunRecord } from "../record/run-record.ts";
import type { AdmissionLimits } from "./admission-limits.ts";
import { type Visit, visitsOf } from "./visits.ts";

export type Drain = {
  /** 1: as fast as anybody could. */
  readonly share: number;
  readonly admitted: number;
  readonly tookMs: number;
  readonly idealMs: number;
};

/** The drain of a line that could be over sooner says more about the time of one answer than about the line. */
const IDEAL_MS_MIN = 6_000;

/**
 * How fast the line moved against an ideal that knows who will stay, needs no polls, and lets the next one in at the very moment at which both limits
 * allow it. A run that ended early is compared with how far that one would have come. A visitor who was away enters when they are back, and does not
 * say when the line was drained.
 */
export function drainAgainstIdeal({ visitors, durationMs }: RunRecord, limits: AdmissionLimits): Drain | undefined {
  const visits = visitsOf(visitors).map((visit) => (visit.wasAway ? { ...visit, arrivedMs: visit.admittedMs } : visit));
  const turns = idealTurns(
    visits.toSorted((one, other) => one.arrivedMs - other.arrivedMs),
    limits,
  );
  const people = turns.filter(({ visit }) => !visit.wasAway);
  const [first] = people;
  if (first === undefined) return undefined;
  const fromMs = Math.max(first.visit.arrivedMs, limits.bellMs);
  const admitted = people.filter(({ visit }) => visit.admittedMs >= 0).length;
  const idealMs = (people.at(-1)?.turnMs ?? 0) - fromMs;
  // Whoever never left keeps a slot for ever, as far as this run can tell.
  if (idealMs < IDEAL_MS_MIN || (admitted === people.length && !Number.isFinite(idealMs))) return undefined;
  if (admitted === people.length) {
    const tookMs = people.reduce((last, { visit }) => Math.max(last, visit.admittedMs), 0) - fromMs;
    return { share: idealMs / tookMs, admitted, tookMs, idealMs };
  }
  const atBest = people.filter(({ turnMs }) => turnMs <= durationMs).length;
  return { share: admitted / atBest, admitted, tookMs: durationMs - fromMs, idealMs };
}

type IdealTurn = { readonly visit: Visit; readonly turnMs: number };

function idealTurns(visits: readonly Visit[], { maxActive, rate, burst, bellMs }: AdmissionLimits): readonly IdealTurn[] {
  const endsAtMs: number[] = [];
  let credit = burst;
  let turnMs = bellMs;
  return visits.map((visit) => {
    const { arrivedMs, admittedMs, freedMs } = visit;
    const slotAtMs = endsAtMs.length < maxActive ? 0 : (endsAtMs.shift() ?? 0);
    const creditAtMs = turnMs + (Math.max(0, 1 - credit) * 1_000) / rate;
    const admittedAtMs = Math.max(arrivedMs, slotAtMs, creditAtMs);
    credit = Math.min(burst, credit + ((admittedAtMs - turnMs) * rate) / 1_000) - 1;
    turnMs = admittedAtMs;
    insertSorted(endsAtMs, turnMs + freedMs - admittedMs);
    return { visit, turnMs };
  });
}

function insertSorted(sorted: number[], value: number): void {
  let from = 0;
  for (let to = sorted.length; from < to; ) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) <= value) from = middle + 1;
    else to = middle;
  }
  sorted.splice(from, 0, value);
}
