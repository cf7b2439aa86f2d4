/**
 * The gate's clock as its places show it: a place tells when it was taken (`edge/queue/order.lua`). A visitor who enters on arrival never sees a
 * ticket; by this clock the place is known to be no earlier than when the request was sent.
 */
export type PlaceClock = {
  /** A place that was given out before this time of ours. */
  readonly joined: (order: number, answeredMs: number) => void;
  /** Of lane 0; undefined while no place is known to set the clock by. */
  readonly earliestPlace: (sentMs: number) => number | undefined;
};

const SEQUENCE_PER_MS = 64;
const LANE_SPAN = 2 ** 50;
const LANE_MAX = 3;

export function createPlaceClock(): PlaceClock {
  let aheadMs: number | undefined;
  return {
    joined(order, answeredMs) {
      // The number of a drawn place is odd, and says nothing about time.
      if (order % 2 === 1) return;
      // The fastest answer sets the clock best; every slower one sets it back.
      aheadMs = Math.max(aheadMs ?? Number.NEGATIVE_INFINITY, (order % LANE_SPAN) / SEQUENCE_PER_MS - answeredMs);
    },
    earliestPlace: (sentMs) => (aheadMs === undefined ? undefined : LANE_MAX * LANE_SPAN + (sentMs + aheadMs) * SEQUENCE_PER_MS),
  };
}
