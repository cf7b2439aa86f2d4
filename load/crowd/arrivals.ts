import type { Random } from "../../kit/random.ts";
import { unreachable } from "../../shared/assert.ts";

/** How arrivals are spread: a peak that decays, a growing rate, or a constant rate. */
export const CURVES = ["spike", "ramp", "steady"] as const;
export type Curve = (typeof CURVES)[number];

type Arrivals = { readonly visitors: number; readonly overMs: number; readonly curve: Curve; readonly random: Random };

/**
 * Sorted arrival times. Arrivals are independent of response times (open model) and of each other, so they come in
 * clusters and gaps; their number is exact.
 */
export function drawArrivals({ visitors, overMs, curve, random }: Arrivals): Float64Array {
  const arrivals = Float64Array.from({ length: visitors }, () => momentOf(curve, random.next()) * overMs);
  return arrivals.sort();
}

/** A spike decays to 1/e in an eighth of the time. */
const SPIKE_PART = 1 / 8;
const SPIKE_WHOLE = 1 - Math.exp(-1 / SPIKE_PART);

/** The inverse of the cumulative share of arrivals over time. */
function momentOf(curve: Curve, share: number): number {
  switch (curve) {
    case "spike":
      return -SPIKE_PART * Math.log(1 - share * SPIKE_WHOLE);
    case "ramp":
      return Math.sqrt(share);
    case "steady":
      return share;
    default:
      return unreachable(curve);
  }
}
