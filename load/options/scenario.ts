import type { Result } from "../../shared/result.ts";
import type { RunRecord } from "../record/run-record.ts";
import type { OptionTable } from "./option-table.ts";
import type { RunContext } from "./run-context.ts";

/** One kind of load: `npm run load -- NAME`. */
export type Scenario = {
  readonly name: string;
  readonly summary: string;
  readonly options: OptionTable;
  /** All faults of the options, or a function that starts the run. */
  readonly plan: (args: readonly string[]) => Result<PlannedRun, readonly string[]>;
};

export type PlannedRun = (run: RunContext) => Promise<RunRecord>;
