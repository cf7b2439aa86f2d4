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
const IDEAL_MS_MIN = 5_000;

/**
 * How fast the line moved against somebody who knows who will stay, needs no polls, and lets the next one in at the very moment at which
 * both limits allow it. A run that ended early is compared with how far that one would have come.
 */
export function drainAgainstIdeal({ visitors, durationMs }: RunRecord, limits: AdmissionLimits): Drain | undefined {
  const people = visitsOf(visitors).toSorted((one, other) => one.arrivedMs - other.arrivedMs);
  const [first] = people;
  if (first === undefined) return undefined;
  const fromMs = Math.max(first.arrivedMs, limits.bellMs);
  const turns = idealTurns(people, limits);
  const admitted = people.filter(({ admittedMs }) => admittedMs >= 0).length;
  const idealMs = (turns.at(-1) ?? 0) - fromMs;
  // Whoever never left keeps a slot for ever, as far as this run can tell.
  if (idealMs < IDEAL_MS_MIN || (admitted === people.length && !Number.isFinite(idealMs))) return undefined;
  if (admitted === people.length) {
    const tookMs = people.reduce((last, { admittedMs }) => Math.max(last, admittedMs), 0) - fromMs;
    return { share: idealMs / tookMs, admitted, tookMs, idealMs };
  }
  const atBest = turns.filter((turnMs) => turnMs <= durationMs).length;
  return { share: admitted / atBest, admitted, tookMs: durationMs - fromMs, idealMs };
}

function idealTurns(people: readonly Visit[], { maxActive, rate, burst, bellMs }: AdmissionLimits): readonly number[] {
  const endsAtMs: number[] = [];
  let credit = burst;
  let turnMs = bellMs;
  return people.map(({ arrivedMs, admittedMs, freedMs }) => {
    const slotAtMs = endsAtMs.length < maxActive ? 0 : (endsAtMs.shift() ?? 0);
    const creditAtMs = turnMs + (Math.max(0, 1 - credit) * 1_000) / rate;
    const admittedAtMs = Math.max(arrivedMs, slotAtMs, creditAtMs);
    credit = Math.min(burst, credit + ((admittedAtMs - turnMs) * rate) / 1_000) - 1;
    turnMs = admittedAtMs;
    insertSorted(endsAtMs, turnMs + freedMs - admittedMs);
    return turnMs;
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
