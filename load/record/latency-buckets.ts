/** Latencies are counted in buckets that are five per cent wide, so that percentiles are as exact over microseconds as over minutes, and two counts add up. */
export type LatencyBuckets = Readonly<Record<number, number>>;

/** What is shorter falls into the first bucket. */
const FIRST_MS = 0.1;
const WIDTH = 1.05;
const LOG_WIDTH = Math.log(WIDTH);
/** About half an hour: longer than anything that is waited for. */
const BUCKET_MAX = 350;

export function bucketOf(ms: number): number {
  if (!(ms > FIRST_MS)) return 0;
  return Math.min(BUCKET_MAX, 1 + Math.floor(Math.log(ms / FIRST_MS) / LOG_WIDTH));
}

/** Where a bucket begins. */
export function bucketStartMs(bucket: number): number {
  return bucket === 0 ? 0 : FIRST_MS * WIDTH ** (bucket - 1);
}

/** The end of the bucket in which this share of all is reached: never better than it was. Undefined where nothing was counted. */
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
