import { openingSecondsLeft } from "./event.ts";
import { insist } from "./objection.ts";
import type { LineSettings, PlainSettings } from "./settings.ts";

/**
 * How many may go in: G2 over all windows at once, and an exact account that also shows when the line owes somebody a
 * turn. Elapsed time counts at the rate in force when the line next writes its account.
 */
export type BucketAudit = {
  /** A call looks at the account, and may write down what it sees. */
  readonly look: (nowMs: number, settings: PlainSettings, isWritten: boolean) => void;
  /** How many reservations there may be at most, and how many there must be while people wait and slots are free. */
  readonly reservations: (settings: LineSettings, nowMs: number) => { readonly max: number; readonly min: number };
  /** Somebody walks in before whom `before` others hold a reservation. */
  readonly admit: (settings: PlainSettings, before: number) => void;
  /** Whether somebody with a reservation who asks must be let in. */
  readonly owesAdmission: (settings: PlainSettings, before: number) => boolean;
};

/** The store keeps nine decimals, thousands of times. */
const TOLERANCE = 1e-4;
/** Reservations are given for what can walk in within this time. */
const AHEAD_SECONDS = 5;
/** What the rate brings in this time is not kept for others, up to half of the burst. */
const SPARE_SECONDS = 0.2;

export function createBucketAudit(startMs: number): BucketAudit {
  let writtenAtMs = startMs;
  // Full at the first call, whatever the burst is by then.
  let written = Number.POSITIVE_INFINITY;
  let tokens = written;
  let isSpilling = true;
  let earnedEver = 0;
  let admittedEver = 0;
  // The least that any window which began so far leaves for admissions until now, in terms of the two sums above.
  let tightest = Number.POSITIVE_INFINITY;

  /** What must be there for somebody to walk in: a token for everybody before, unless the bucket would soon spill. */
  const price = ({ burst, rate }: PlainSettings, before: number) => {
    const spare = Math.min(Math.floor(burst / 2), Math.floor(rate * SPARE_SECONDS));
    return Math.min(before + 1, burst - spare);
  };

  return {
    look: (nowMs, settings, isWritten) => {
      const earned = ((nowMs - writtenAtMs) * settings.rate) / 1_000;
      isSpilling = written + earned > settings.burst + TOLERANCE;
      tokens = Math.min(settings.burst, written + earned);
      // What a smaller burst has spilled is gone, whoever looked.
      const isCut = Number.isFinite(written) && written > settings.burst;
      if (!(isWritten || isCut)) return;
      writtenAtMs = nowMs;
      earnedEver += earned;
      written = tokens;
    },
    reservations: (settings, nowMs) => {
      const ahead = tokens + settings.rate * (AHEAD_SECONDS + openingSecondsLeft(settings, nowMs));
      return { max: Math.ceil(ahead + TOLERANCE), min: Math.ceil(ahead - TOLERANCE) };
    },
    admit: (settings, before) => {
      insist(tokens >= price(settings, before) - TOLERANCE, "somebody walked in on a token that is kept for others");
      tightest = Math.min(tightest, settings.burst - earnedEver + admittedEver);
      admittedEver += 1;
      tokens -= 1;
      written = tokens;
      insist(admittedEver - earnedEver <= tightest + TOLERANCE, "G2: more admissions in a window than burst + rate * window");
    },
    owesAdmission: (settings, before) => isSpilling || tokens >= price(settings, before) + TOLERANCE,
  };
}
