import { VISITOR_ENDS, type VisitorColumns } from "../record/run-record.ts";

/** What the line had to do with one visitor. */
export type Visit = {
  readonly arrivedMs: number;
  /** -1 for somebody who was never let in. */
  readonly admittedMs: number;
  /** When the slot came free again: never, for somebody who fell silent inside, as far as a run can tell. */
  readonly freedMs: number;
  readonly wasAway: boolean;
};

/** Everybody who was let in, or was still waiting for it when the run ended. */
export function visitsOf({ arrivedMs, joinedOrder, admittedMs, endedMs, end, wasAway }: VisitorColumns): readonly Visit[] {
  return arrivedMs.flatMap((arrived, visitor): readonly Visit[] => {
    const admitted = admittedMs[visitor] ?? -1;
    const how = VISITOR_ENDS[end[visitor] ?? 0] ?? "underway";
    const common = { arrivedMs: arrived, admittedMs: admitted, wasAway: wasAway[visitor] === 1 };
    if (admitted >= 0) return [{ ...common, freedMs: keepsSlot(how) ? Number.POSITIVE_INFINITY : (endedMs[visitor] ?? admitted) }];
    const isInLine = how === "underway" && !common.wasAway && (joinedOrder[visitor] ?? -1) >= 0;
    return isInLine ? [{ ...common, freedMs: Number.POSITIVE_INFINITY }] : [];
  });
}

const keepsSlot = (how: (typeof VISITOR_ENDS)[number]) => how === "silent" || how === "underway";
