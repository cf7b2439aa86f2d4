import { assert } from "../../shared/assert.ts";
import type { Lane } from "../../shared/tokens/admission.ts";

/** As in order.lua. */
const LANE_SPAN = 2 ** 50;
const LANE_MAX = 3;

/** The lane that a place is in: higher lanes have smaller numbers. */
export function laneOf(order: number): Lane {
  const lane = LANE_MAX - Math.floor(order / LANE_SPAN);
  assert(lane === 0 || lane === 1 || lane === 2 || lane === 3, "a place is in one of the lanes");
  return lane;
}
