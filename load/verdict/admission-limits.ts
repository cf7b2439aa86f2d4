import type { RunRecord } from "../record/run-record.ts";

/** What the gate was told to keep to, and from when on it let anybody in. */
export type AdmissionLimits = {
  readonly maxActive: number;
  /** Admissions per second. */
  readonly rate: number;
  readonly burst: number;
  /** When the doors opened; 0 where they were open from the start. */
  readonly bellMs: number;
};

/** Undefined for a run that does not know: somebody else's queue, or none. */
export function admissionLimits({ settings }: RunRecord): AdmissionLimits | undefined {
  const { cap, rate, burst, bellMs = 0 } = settings;
  if (typeof cap !== "number" || typeof rate !== "number" || typeof burst !== "number" || typeof bellMs !== "number") return undefined;
  return { maxActive: cap, rate, burst, bellMs };
}
