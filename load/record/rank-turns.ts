/** When somebody's turn came: after the one moment, and by the other. -1 where nobody knows. */
export type TurnSpans = {
  readonly joinedOrder: readonly number[];
  readonly turnAfterMs: readonly number[];
  readonly turnByMs: readonly number[];
  /** Whoever was away may have had a turn much later than the place says, and those behind had not to wait for that. */
  readonly wasAway: readonly number[];
};

const UNKNOWN = -1;

/**
 * Counts turns, the first one 1, from looks at the line that lie some time apart. Of two whose turns came between the same looks nobody
 * can say whose was first: those are ranked by their places, so that only somebody who is known to have had to wait for a later one's turn
 * is ranked behind. -1 for whoever had no turn.
 */
export function rankTurns({ joinedOrder, turnAfterMs, turnByMs, wasAway }: TurnSpans): number[] {
  const visitors = joinedOrder.flatMap((place, visitor) =>
    place !== UNKNOWN && (turnByMs[visitor] ?? UNKNOWN) !== UNKNOWN ? [visitor] : [],
  );
  const placeOf = (visitor: number) => joinedOrder[visitor] ?? UNKNOWN;
  visitors.sort((one, other) => placeOf(one) - placeOf(other));
  const moments = new Map<number, number>();
  let reachedMs = Number.NEGATIVE_INFINITY;
  for (const visitor of visitors) {
    const byMs = turnByMs[visitor] ?? UNKNOWN;
    // As early as may be without passing those before; if even the latest is too early for that, they were passed.
    const momentMs = Math.min(byMs, Math.max(reachedMs, turnAfterMs[visitor] ?? UNKNOWN));
    moments.set(visitor, momentMs);
    if (wasAway[visitor] !== 1) reachedMs = Math.max(reachedMs, momentMs);
  }
  const ranks = joinedOrder.map(() => UNKNOWN);
  const momentOf = (visitor: number) => moments.get(visitor) ?? UNKNOWN;
  visitors.sort((one, other) => momentOf(one) - momentOf(other) || placeOf(one) - placeOf(other));
  for (const [rank, visitor] of visitors.entries()) ranks[visitor] = rank + 1;
  return ranks;
}
