import type { Clock } from "../shared/clock.ts";
import type { Progress } from "./progress/progress.ts";

/** What every scenario is given beside its options. */
export type RunContext = {
  /** Ctrl-C: the scenario ends soon, and gives the record of what happened so far. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly clock: Clock;
};
