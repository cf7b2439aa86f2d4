import type { VisitorColumns } from "../record/run-record.ts";

export type Inversions = {
  /** People let in before somebody of their lane who stood before them and was there. */
  readonly count: number;
  /** People whose order could be compared at all. */
  readonly compared: number;
};

/** From the last one let in to the first: whoever has somebody earlier behind them went in too soon. */
export function countInversions({ joinedOrder, admittedOrder, lane, wasAway, end }: VisitorColumns): Inversions {
  const admitted = [...admittedOrder.keys()].filter((visitor) => at(admittedOrder, visitor) >= 0 && at(joinedOrder, visitor) >= 0);
  const earliestBehind = new Map<number, number>();

  function noteBehind(visitor: number): void {
    // Others may pass whoever was away.
    if (at(wasAway, visitor) === 1) return;
    const own = at(joinedOrder, visitor);
    const ofLane = at(lane, visitor);
    earliestBehind.set(ofLane, Math.min(own, earliestBehind.get(ofLane) ?? own));
  }

  // Whoever was still waiting when the run ended stands behind everybody who was let in.
  for (const visitor of joinedOrder.keys()) {
    if (at(joinedOrder, visitor) >= 0 && at(admittedOrder, visitor) < 0 && at(end, visitor) === UNDERWAY) noteBehind(visitor);
  }
  let count = 0;
  for (const visitor of admitted.toSorted((one, other) => at(admittedOrder, other) - at(admittedOrder, one))) {
    const behind = earliestBehind.get(at(lane, visitor));
    if (behind !== undefined && behind < at(joinedOrder, visitor)) count++;
    noteBehind(visitor);
  }
  return { count, compared: admitted.length };
}

/** The first of `VISITOR_ENDS`. */
const UNDERWAY = 0;

const at = (column: readonly number[], visitor: number) => column[visitor] ?? -1;
