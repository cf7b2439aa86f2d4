import { unreachable } from "../../shared/assert.ts";
import type { Random } from "../../test/sim/random.ts";

/** How a crowd comes: all at once and then ever fewer, ever more, or evenly. */
export const CURVES = ["spike", "ramp", "steady"] as const;
export type Curve = (typeof CURVES)[number];

type Arrivals = { readonly visitors: number; readonly overMs: number; readonly curve: Curve; readonly random: Random };

/**
 * When each visitor comes, in order: an open model, in which nobody's coming depends on how the others are served. Each is drawn for
 * itself, so that they come as independent people do, in clusters and gaps; how many there are is exact.
 */
export function drawArrivals({ visitors, overMs, curve, random }: Arrivals): Float64Array {
  const arrivals = Float64Array.from({ length: visitors }, () => momentOf(curve, random.next()) * overMs);
  return arrivals.sort();
}

/** A spike has fallen to a third after an eighth of the time. */
const SPIKE_PART = 1 / 8;
const SPIKE_WHOLE = 1 - Math.exp(-1 / SPIKE_PART);

/** The inverse of how many have come by a moment, both as shares of the whole. */
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
