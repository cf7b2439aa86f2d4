import { bucketMsMax } from "../record/latency-buckets.ts";
import type { SecondOfLatencies } from "../record/run-record.ts";

export type Buckets = SecondOfLatencies["buckets"];

/** NaN where nothing was counted. */
export function percentileMs(buckets: Buckets, share: number): number {
  const counted = Object.entries(buckets).map(([bucket, count]) => [Number(bucket), count] as const);
  let left = Math.ceil(counted.reduce((sum, [, count]) => sum + count, 0) * share);
  if (left === 0) return Number.NaN;
  for (const [bucket, count] of counted.toSorted(([one], [other]) => one - other)) {
    left -= count;
    if (left <= 0) return bucketMsMax(bucket);
  }
  return Number.NaN;
}

export const countOf = (buckets: Buckets) => Object.values(buckets).reduce((sum, count) => sum + count, 0);

/** All of them as one. */
export function sumBuckets(many: readonly Buckets[]): Buckets {
  const sums: Record<number, number> = {};
  for (const buckets of many) {
    for (const [bucket, count] of Object.entries(buckets)) sums[Number(bucket)] = (sums[Number(bucket)] ?? 0) + count;
  }
  return sums;
}

/** The value below which a share of the values lies; NaN for none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
