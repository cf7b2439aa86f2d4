import type { RunRecord } from "../record/run-record.ts";

/** The limits of the gate, and when it opened. */
export type AdmissionLimits = {
  readonly maxActive: number;
  /** Admissions per second. */
  readonly rate: number;
  readonly burst: number;
  /** When the queue opened; 0 if it was open from the start. */
  readonly bellMs: number;
};

/** Undefined if the run does not know them. */
export function admissionLimits({ settings }: RunRecord): AdmissionLimits | undefined {
  const { cap, rate, burst, bellMs = 0 } = settings;
  if (typeof cap !== "number" || typeof rate !== "number" || typeof burst !== "number" || typeof bellMs !== "number")
    return undefined;
  return { maxActive: cap, rate, burst, bellMs };
}
