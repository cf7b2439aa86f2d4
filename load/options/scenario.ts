import type { Result } from "../shared/result.ts";
import type { OptionTable } from "./options/option-table.ts";
import type { RunRecord } from "./record/run-record.ts";
import type { RunContext } from "./run-context.ts";

/** Something that can be done to a target. */
export type Scenario = {
  readonly name: string;
  readonly summary: string;
  readonly options: OptionTable;
  /** All faults of the options, or the run that they stand for. Nothing has been started then. */
  readonly plan: (args: readonly string[]) => Result<PlannedRun, readonly string[]>;
};

export type PlannedRun = (run: RunContext) => Promise<RunRecord>;
