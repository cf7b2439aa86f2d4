/** The rate in the busiest ten seconds; a shorter span would show noise. */
export type BusiestSpan = { readonly add: (atMs: number) => void; readonly perSecond: () => number };

const SPAN_SECONDS = 10;

export function createBusiestSpan(): BusiestSpan {
  const bySecond: number[] = [];
  return {
    add(atMs) {
      const second = Math.floor(atMs / 1_000);
      while (bySecond.length <= second) bySecond.push(0);
      bySecond[second] = (bySecond[second] ?? 0) + 1;
    },
    perSecond() {
      let sum = 0;
      let most = 0;
      for (const [second, count] of bySecond.entries()) {
        sum += count - (bySecond[second - SPAN_SECONDS] ?? 0);
        most = Math.max(most, sum);
      }
      return most / SPAN_SECONDS;
    },
  };
}
