/**
 * The best possible line: it knows who will stay, needs no polls, and lets the next visitor in at the very moment at
 * which both the cap and the rate allow it.
 */
export type IdealLine = {
  /** When the last visitor so far entered. */
  readonly lastTurnMs: () => number;
  /** When this visitor enters; visitors come in the order of their arrival. */
  readonly letIn: (visitor: { readonly arrivedMs: number; readonly stayMs: number }) => number;
};

type IdealLimits = {
  readonly maxActive: number;
  readonly rate: number;
  readonly burst: number;
  readonly bellMs?: number;
};

export function createIdealLine({ maxActive, rate, burst, bellMs = 0 }: IdealLimits): IdealLine {
  const endsAtMs: number[] = [];
  let credit = burst;
  let turnMs = bellMs;
  return {
    lastTurnMs: () => turnMs,
    letIn({ arrivedMs, stayMs }) {
      const slotAtMs = endsAtMs.length < maxActive ? 0 : (endsAtMs.shift() ?? 0);
      const creditAtMs = turnMs + (Math.max(0, 1 - credit) * 1_000) / rate;
      const admittedAtMs = Math.max(arrivedMs, slotAtMs, creditAtMs);
      credit = Math.min(burst, credit + ((admittedAtMs - turnMs) * rate) / 1_000) - 1;
      turnMs = admittedAtMs;
      insertSorted(endsAtMs, turnMs + stayMs);
      return turnMs;
    },
  };
}

function insertSorted(sorted: number[], value: number): void {
  let from = 0;
  for (let to = sorted.length; from < to; ) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) <= value) from = middle + 1;
    else to = middle;
  }
  sorted.splice(from, 0, value);
}
