/**
 * Waits by their length, in a fixed number of buckets: 0 holds those who walked straight in, 1 up to 250 ms, and from
 * there on four to each doubling; the last one has no end. `edge/line/scripts/tally.lua` fills them, by the same three
 * numbers.
 */
export const WAIT_BUCKETS = 76;
const WAIT_MS_MIN = 250;
const BUCKETS_PER_DOUBLING = 4;

/** The longest wait that a bucket holds. */
export function bucketEndMs(bucket: number): number {
  if (bucket === 0) return 0;
  return bucket === WAIT_BUCKETS - 1
    ? Number.POSITIVE_INFINITY
    : WAIT_MS_MIN * 2 ** ((bucket - 1) / BUCKETS_PER_DOUBLING);
}

export type WaitPercentiles = { readonly p50: number; readonly p90: number; readonly p99: number };

/** Null while no wait has ended. */
export function percentilesOf(counts: readonly number[]): WaitPercentiles | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  return { p50: waitAt(counts, total * 0.5), p90: waitAt(counts, total * 0.9), p99: waitAt(counts, total * 0.99) };
}

/**
 * The wait that this many did not exceed, in whole milliseconds. Inside a bucket waits are taken to be spread evenly by
 * their logarithm.
 */
function waitAt(counts: readonly number[], rank: number): number {
  let before = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && before + count >= rank) return Math.round(within(bucket, (rank - before) / count));
    before += count;
  }
  return Math.round(bucketEndMs(counts.length - 2));
}

function within(bucket: number, share: number): number {
  const startMs = bucket === 0 ? 0 : bucketEndMs(bucket - 1);
  if (bucket === WAIT_BUCKETS - 1) return startMs;
  const endMs = bucketEndMs(bucket);
  return startMs === 0 ? endMs * share : startMs * (endMs / startMs) ** share;
}
