/** An admitted visitor, or one still waiting at the end of the run: then `enteredMs` is that end, or infinite. */
export type Entry = {
  /** The smaller enters first. */
  readonly place: number;
  readonly lane: number;
  readonly enteredMs: number;
  /** Others may pass a visitor who did not poll as told. */
  readonly wasAway: boolean;
};

export type Overtaken = {
  /** Visitors who entered more than the tolerance after a visitor of the same lane who was given a later place. */
  readonly count: number;
  /** The longest such delay; 0 when all entered in the order of places. */
  readonly worstMs: number;
  /** Visitors who were compared: those who polled as told. */
  readonly compared: number;
};

/** Promise G13: a network cannot order simultaneous arrivals more precisely. */
export const OVERTAKEN_MS = 250;

type LaneSoFar = { place: number; firstHereMs: number; firstBehindMs: number };

/** Judges the order of entry from the last place to the first. Equal places have no order. */
export function countOvertaken(entries: readonly Entry[]): Overtaken {
  const lanes = new Map<number, LaneSoFar>();
  let [count, worstMs, compared] = [0, 0, 0];
  for (const { place, lane, enteredMs, wasAway } of entries.toSorted((one, other) => other.place - one.place)) {
    const soFar = moveTo(lanes, lane, place);
    if (!wasAway) {
      const afterMs = soFar.firstBehindMs === Number.POSITIVE_INFINITY ? 0 : enteredMs - soFar.firstBehindMs;
      if (afterMs > OVERTAKEN_MS) count++;
      if (Number.isFinite(afterMs)) worstMs = Math.max(worstMs, afterMs);
      compared++;
    }
    soFar.firstHereMs = Math.min(soFar.firstHereMs, enteredMs);
  }
  return { count, worstMs, compared };
}

function moveTo(lanes: Map<number, LaneSoFar>, lane: number, place: number): LaneSoFar {
  const known = lanes.get(lane);
  if (known?.place === place) return known;
  const firstBehindMs = Math.min(
    known?.firstHereMs ?? Number.POSITIVE_INFINITY,
    known?.firstBehindMs ?? Number.POSITIVE_INFINITY,
  );
  const moved = { place, firstHereMs: Number.POSITIVE_INFINITY, firstBehindMs };
  lanes.set(lane, moved);
  return moved;
}
