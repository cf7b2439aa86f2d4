import type { Member } from "./member.ts";
import { insist } from "./objection.ts";
import type { Step } from "./step.ts";

/** Times in which no call arrived although several visitors should have polled: they count against nobody who was present before. */
export type SilenceAudit = {
  /** A call that looks at the line; those who stood there before it are given the time to come back, if it ends an outage. */
  readonly hear: (step: Step, standing: Iterable<Member>) => void;
  /** Of a poll that was asked for at that time. */
  readonly isForgiven: (expectedMs: number, nowMs: number) => boolean;
};

const SILENCE_MS = 2_000;
const MISSED_POLLS_MIN = 5;
const RETURN_MS_MIN = 3_000;
const RETURN_MS_MAX = 12_000;
const LATE_MS = 1_500;
/** The line need not write down each call. */
const HEARD_EVERY_MS = 250;

export function createSilenceAudit(): SilenceAudit {
  let fromMs = 0;
  let toMs = 0;
  let backByMs = 0;
  let heardMs: number | undefined;

  function hear({ nowMs, after }: Step, standing: Iterable<Member>): void {
    const beforeMs = heardMs ?? nowMs;
    heardMs = after.heardMs;
    insist(isKeptUp({ nowMs, after }), `the line was last heard at ${heardMs}, as it says itself`);
    const isMissed = ({ phase, expectedMs }: Member) => phase === "waiting" && expectedMs > beforeMs && expectedMs <= nowMs;
    if (nowMs - beforeMs < SILENCE_MS || [...standing].filter(isMissed).length < MISSED_POLLS_MIN) return;
    if (nowMs >= backByMs) fromMs = beforeMs;
    toMs = nowMs;
    backByMs = nowMs + Math.max(RETURN_MS_MIN, Math.min(RETURN_MS_MAX, nowMs - beforeMs));
  }

  return {
    hear,
    isForgiven: (expectedMs, nowMs) => nowMs >= toMs && nowMs < backByMs && expectedMs > fromMs - LATE_MS && expectedMs <= toMs,
  };
}

/** Of an empty line nothing need be known. */
function isKeptUp({ nowMs, after: { heardMs, waiting } }: Pick<Step, "nowMs" | "after">): boolean {
  return waiting.size === 0 || (heardMs <= nowMs && heardMs > nowMs - HEARD_EVERY_MS);
}
