import { setTimeout as sleep } from "node:timers/promises";

type OpenArrivals = {
  readonly perSecond: number;
  readonly forMs: number;
  /** `at` is the due time by `performance.now()`: latency counts from it. */
  readonly arrive: (at: number) => void;
};

const TICK_MS = 1;

/** Arrivals are independent of response times (open model). */
export async function arriveOpenly({ perSecond, forMs, arrive }: OpenArrivals): Promise<void> {
  const start = performance.now();
  const perMs = perSecond / 1_000;
  let arrived = 0;
  for (let now = start; now - start < forMs; now = performance.now()) {
    const due = Math.floor((now - start) * perMs);
    for (; arrived < due; arrived++) arrive(start + arrived / perMs);
    await sleep(TICK_MS);
  }
}
