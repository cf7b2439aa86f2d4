import { insist } from "./objection.ts";
import type { LineSettings } from "./settings.ts";

/**
 * How many may go in: G2 over all windows at once, and two exact accounts that also show when the line owes somebody a
 * turn. Elapsed time counts at the rate in force when the line next looks at its account.
 */
export type BucketAudit = {
  /** A call that looks at the accounts happened. */
  readonly settle: (nowMs: number, settings: LineSettings) => void;
  readonly refund: (count: number, settings: LineSettings) => void;
  readonly promote: (count: number) => void;
  readonly admit: (settings: LineSettings) => void;
  /** Whether a slot, if there is one, must be given to the next in line. */
  readonly owesPromotion: () => boolean;
  /** Whether somebody with a reservation who asks must be let in. */
  readonly owesAdmission: () => boolean;
};

/** The store keeps nine decimals, thousands of times. */
const TOLERANCE = 1e-4;

export function createBucketAudit(startMs: number): BucketAudit {
  let settledAtMs = startMs;
  // Full at the first call, whatever the burst is by then.
  let tokens = Number.POSITIVE_INFINITY;
  let pace = Number.POSITIVE_INFINITY;
  let earnedEver = 0;
  let admittedEver = 0;
  // The least that any window which began so far leaves for admissions until now, in terms of the two sums above.
  let tightest = Number.POSITIVE_INFINITY;

  return {
    settle: (nowMs, settings) => {
      const earned = ((nowMs - settledAtMs) * settings.rate) / 1_000;
      settledAtMs = nowMs;
      earnedEver += earned;
      tokens = Math.min(settings.burst, tokens + earned);
      pace = Math.min(settings.burst, pace + earned);
    },
    refund: (count, settings) => {
      if (count > 0) tokens = Math.min(settings.burst, tokens + count);
    },
    promote: (count) => {
      tokens -= count;
      insist(tokens >= -TOLERANCE, "more slots were reserved than burst and rate allow");
    },
    admit: (settings) => {
      tightest = Math.min(tightest, settings.burst - earnedEver + admittedEver);
      admittedEver += 1;
      pace -= 1;
      insist(admittedEver - earnedEver <= tightest + TOLERANCE, "G2: more admissions in a window than burst + rate * window");
    },
    owesPromotion: () => tokens >= 1 + TOLERANCE,
    owesAdmission: () => pace >= 1 + TOLERANCE,
  };
}
