import type { RunRecord } from "../record/run-record.ts";
import type { AdmissionLimits } from "./admission-limits.ts";
import { createIdealLine } from "./ideal-line.ts";
import { visitsOf } from "./visits.ts";

export type Drain = {
  /** 1: as fast as the ideal line. */
  readonly share: number;
  readonly admitted: number;
  readonly tookMs: number;
  readonly idealMs: number;
};

/** A shorter drain says more about the latency of one answer than about the line. */
const IDEAL_MS_MIN = 6_000;

/**
 * How fast the line moved, compared with the ideal line. A run that ended early is compared with how far the ideal line
 * would have come. A visitor who stopped polling enters on return, and does not say when the line was drained.
 */
export function drainAgainstIdeal({ visitors, durationMs }: RunRecord, limits: AdmissionLimits): Drain | undefined {
  const visits = visitsOf(visitors).map((visit) => (visit.wasAway ? { ...visit, arrivedMs: visit.admittedMs } : visit));
  const ideal = createIdealLine(limits);
  const inOrder = visits.toSorted((one, other) => one.arrivedMs - other.arrivedMs);
  const turns = inOrder.map((visit) => ({
    visit,
    turnMs: ideal.letIn({ ...visit, stayMs: visit.freedMs - visit.admittedMs }),
  }));
  const people = turns.filter(({ visit }) => !visit.wasAway);
  const [first] = people;
  if (first === undefined) return undefined;
  const fromMs = Math.max(first.visit.arrivedMs, limits.bellMs);
  const admitted = people.filter(({ visit }) => visit.admittedMs >= 0).length;
  const idealMs = (people.at(-1)?.turnMs ?? 0) - fromMs;
  // A visitor who never left keeps the slot for ever, as far as this run can tell.
  if (idealMs < IDEAL_MS_MIN || (admitted === people.length && !Number.isFinite(idealMs))) return undefined;
  if (admitted === people.length) {
    const tookMs = people.reduce((last, { visit }) => Math.max(last, visit.admittedMs), 0) - fromMs;
    return { share: idealMs / tookMs, admitted, tookMs, idealMs };
  }
  const atBest = people.filter(({ turnMs }) => turnMs <= durationMs).length;
  return { share: admitted / atBest, admitted, tookMs: durationMs - fromMs, idealMs };
}
