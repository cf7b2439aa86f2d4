/** One visitor who entered, or who was still waiting when the run ended (`enteredMs` is infinite). */
export type Entry = {
  /** The smaller goes first. */
  readonly place: number;
  readonly lane: number;
  readonly enteredMs: number;
  /** Others may pass a visitor who did not poll as asked. */
  readonly wasAway: boolean;
};

export type Overtaken = {
  /** Visitors who entered more than the tolerance after somebody of their lane who was given a later place. */
  readonly count: number;
  /** The longest time that a visitor entered after such a one; 0 when everybody entered in the order of the places. */
  readonly worstMs: number;
  /** Visitors whose order could be compared at all. */
  readonly compared: number;
};

/** Promise G13: arrivals at the very same time cannot be told apart any finer over a network. */
export const OVERTAKEN_MS = 250;

/** Judges the order of entry, as visitors experience it. */
export function countOvertaken(entries: readonly Entry[]): Overtaken {
  const firstOfLater = new Map<number, number>();
  let [count, worstMs, compared] = [0, 0, 0];
  for (const { place: _, lane, enteredMs, wasAway } of entries.toSorted((one, other) => other.place - one.place)) {
    const first = firstOfLater.get(lane) ?? Number.POSITIVE_INFINITY;
    const afterMs = wasAway || first === Number.POSITIVE_INFINITY ? 0 : enteredMs - first;
    if (afterMs > OVERTAKEN_MS) count++;
    if (Number.isFinite(afterMs)) worstMs = Math.max(worstMs, afterMs);
    if (Number.isFinite(enteredMs)) compared++;
    firstOfLater.set(lane, Math.min(first, enteredMs));
  }
  return { count, worstMs, compared };
}
