/**
 * Latency counts in buckets five per cent wide: percentiles are equally exact for microseconds and minutes, and counts
 * add up.
 */
export type LatencyBuckets = Readonly<Record<number, number>>;

/** Shorter latencies fall into the first bucket. */
const FIRST_MS = 0.1;
const WIDTH = 1.05;
const LOG_WIDTH = Math.log(WIDTH);
/** About half an hour: longer than any timeout. */
const BUCKET_MAX = 350;

export function bucketOf(ms: number): number {
  if (!(ms > FIRST_MS)) return 0;
  return Math.min(BUCKET_MAX, 1 + Math.floor(Math.log(ms / FIRST_MS) / LOG_WIDTH));
}

/** Where a bucket begins. */
export function bucketStartMs(bucket: number): number {
  return bucket === 0 ? 0 : FIRST_MS * WIDTH ** (bucket - 1);
}

/** The end of the bucket that reaches this share, so never below the true value. Undefined without counts. */
export function percentileMs(buckets: LatencyBuckets, share: number): number | undefined {
  const counted = Object.entries(buckets)
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .toSorted(([one], [other]) => one - other);
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  let left = Math.ceil(total * share);
  for (const [bucket, count] of counted) {
    left -= count;
    if (left <= 0) return bucketStartMs(bucket + 1);
  }
  return undefined;
}

export function addBuckets(all: readonly LatencyBuckets[]): LatencyBuckets {
  const sum: Record<number, number> = {};
  for (const buckets of all)
    for (const [bucket, count] of Object.entries(buckets)) sum[Number(bucket)] = (sum[Number(bucket)] ?? 0) + count;
  return sum;
}
