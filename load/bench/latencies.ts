/** Latencies counted in steps of 10 µs, up to ten seconds: percentiles without keeping every value. */
export type Latencies = {
  readonly add: (ms: number) => void;
  readonly summary: () => LatencySummary;
};

export type LatencySummary = {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly longestMs: number;
};

const STEPS_PER_MS = 100;
const STEPS = 10_000 * STEPS_PER_MS;

export function createLatencies(): Latencies {
  const counts = new Uint32Array(STEPS + 1);
  let total = 0;
  let longestMs = 0;

  function percentile(share: number): number {
    let left = Math.ceil(total * share);
    for (let step = 0; step <= STEPS; step++) {
      left -= counts[step] ?? 0;
      if (left <= 0) return step / STEPS_PER_MS;
    }
    return STEPS / STEPS_PER_MS;
  }

  return {
    add(ms) {
      const step = Math.min(STEPS, Math.max(0, Math.round(ms * STEPS_PER_MS)));
      counts[step] = (counts[step] ?? 0) + 1;
      total++;
      longestMs = Math.max(longestMs, ms);
    },
    summary: () => ({ p50Ms: percentile(0.5), p99Ms: percentile(0.99), p999Ms: percentile(0.999), longestMs }),
  };
}
