/**
 * The gate's clock, read from places: a place encodes when it was taken (`edge/line/scripts/order.lua`). A visitor who
 * enters on arrival has no ticket; with this clock the request's time gives the earliest possible place.
 */
export type PlaceClock = {
  /** A place that was assigned before this time of our clock. */
  readonly joined: (order: number, answeredMs: number) => void;
  /** In lane 0; undefined until a place has set the clock. */
  readonly earliestPlace: (sentMs: number) => number | undefined;
};

const SEQUENCE_PER_MS = 64;
const LANE_SPAN = 2 ** 50;
const LANE_MAX = 3;

export function createPlaceClock(): PlaceClock {
  let aheadMs: number | undefined;
  return {
    joined(order, answeredMs) {
      // The number of a drawn place is odd and carries no time.
      if (order % 2 === 1) return;
      // The fastest answer gives the best estimate.
      aheadMs = Math.max(aheadMs ?? Number.NEGATIVE_INFINITY, (order % LANE_SPAN) / SEQUENCE_PER_MS - answeredMs);
    },
    earliestPlace: (sentMs) =>
      aheadMs === undefined ? undefined : LANE_MAX * LANE_SPAN + (sentMs + aheadMs) * SEQUENCE_PER_MS,
  };
}
