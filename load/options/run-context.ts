import type { Clock } from "../../shared/clock.ts";
import type { Progress } from "../progress/progress.ts";

/** Passed to every scenario beside its options. */
export type RunContext = {
  /** Ctrl-C: the scenario ends soon and returns the record so far. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly clock: Clock;
};
