/**
 * Latencies are counted in buckets of which each is 5 % wider than the one before: percentiles within 5 % of the truth, for any number of
 * requests, and the counts of two machines can be added. Bucket 0 is everything up to a tenth of a millisecond.
 */
export function bucketOf(ms: number): number {
  return ms <= FIRST_MS ? 0 : Math.min(BUCKET_MAX, Math.ceil(Math.log(ms / FIRST_MS) / Math.log(GROWTH)));
}

/** The longest latency that belongs into a bucket: what a percentile is told as, so that it is never told too short. */
export function bucketMsMax(bucket: number): number {
  return FIRST_MS * GROWTH ** bucket;
}

const FIRST_MS = 0.1;
const GROWTH = 1.05;
/** More than two hours: nothing waits that long. */
const BUCKET_MAX = 372;
