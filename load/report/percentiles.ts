import type { LatencyBuckets } from "../record/latency-buckets.ts";

export const countOf = (buckets: LatencyBuckets) => Object.values(buckets).reduce((sum, count) => sum + count, 0);

/** The value below which a share of the values lies; NaN for none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
