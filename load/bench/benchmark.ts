import { assert } from "../../shared/assert.ts";

/**
 * A benchmark compares a part of Sluice (the subject) with something well known (the baseline) in the same run.
 * Absolute figures differ between machines and minutes; the ratio has the aim.
 */
export type Benchmark = {
  readonly name: string;
  readonly run: (options: { readonly quick: boolean }) => Promise<readonly BenchmarkRow[]>;
};

export type BenchmarkRow = {
  /** Names subject and baseline, readable without context. */
  readonly what: string;
  readonly unit: string;
  readonly subjectMedian: number;
  readonly baselineMedian: number;
  /** Subject over baseline, both as medians. */
  readonly ratio: number;
  /** The ratio to reach; 0 for a row that only informs. */
  readonly aim: number;
  readonly subjectRounds: readonly number[];
  readonly baselineRounds: readonly number[];
  /** Further counts. */
  readonly notes?: string;
};

type Rounds = { readonly subjectRounds: readonly number[]; readonly baselineRounds: readonly number[] };

type Alternation = {
  readonly rounds: number;
  readonly subject: () => Promise<number>;
  readonly baseline: () => Promise<number>;
};

/** The order alternates, so that neither side always runs first. */
export async function alternate({ rounds, subject, baseline }: Alternation): Promise<Rounds> {
  assert(rounds >= 1, "a benchmark has at least one round");
  const subjectRounds: number[] = [];
  const baselineRounds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) subjectRounds.push(await subject());
    baselineRounds.push(await baseline());
    if (round % 2 === 1) subjectRounds.push(await subject());
  }
  return { subjectRounds, baselineRounds };
}

export function benchmarkRow(
  facts: Rounds & { readonly what: string; readonly unit: string; readonly aim: number },
): BenchmarkRow {
  const subjectMedian = median(facts.subjectRounds);
  const baselineMedian = median(facts.baselineRounds);
  return { ...facts, subjectMedian, baselineMedian, ratio: subjectMedian / baselineMedian };
}

export function median(values: readonly number[]): number {
  assert(values.length > 0, "a median needs values");
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
