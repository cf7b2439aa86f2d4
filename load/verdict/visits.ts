import { VISITOR_ENDS, type VisitorColumns } from "../record/run-record.ts";

/** One visit from the line's view. */
export type Visit = {
  readonly arrivedMs: number;
  /** -1 for a visitor who was never admitted. */
  readonly admittedMs: number;
  /** When the slot was freed; infinite for a visitor who went silent inside. */
  readonly freedMs: number;
  readonly wasAway: boolean;
};

/** Visitors who were admitted or still waiting when the run ended. */
export function visitsOf({
  arrivedMs,
  joinedOrder,
  admittedMs,
  endedMs,
  end,
  wasAway,
}: VisitorColumns): readonly Visit[] {
  return arrivedMs.flatMap((arrived, visitor): readonly Visit[] => {
    const admitted = admittedMs[visitor] ?? -1;
    const how = VISITOR_ENDS[end[visitor] ?? 0] ?? "underway";
    const common = { arrivedMs: arrived, admittedMs: admitted, wasAway: wasAway[visitor] === 1 };
    if (admitted >= 0)
      return [{ ...common, freedMs: keepsSlot(how) ? Number.POSITIVE_INFINITY : (endedMs[visitor] ?? admitted) }];
    const isInLine = how === "underway" && !common.wasAway && (joinedOrder[visitor] ?? -1) >= 0;
    return isInLine ? [{ ...common, freedMs: Number.POSITIVE_INFINITY }] : [];
  });
}

const keepsSlot = (how: (typeof VISITOR_ENDS)[number]) => how === "silent" || how === "underway";
