import { insist } from "../../kit/objection.ts";
import type { Member } from "./member.ts";
import type { Step } from "./step.ts";

/**
 * Outages, in which several expected polls did not arrive: they do not count against visitors who were present before.
 */
export type SilenceAudit = {
  /** A call that reads the line. If it ends an outage, the waiting visitors get time to return. */
  readonly noteCall: (step: Step, standing: Iterable<Member>) => void;
  /** Whether a poll that was due at that time is excused. */
  readonly isForgiven: (expectedMs: number, nowMs: number) => boolean;
};

const SILENCE_MS = 2_000;
const MISSED_POLLS_MIN = 5;
const RETURN_MS_MIN = 3_000;
const RETURN_MS_MAX = 12_000;
const LATE_MS = 1_500;
/** The line does not record every call. */
const HEARD_EVERY_MS = 250;

export function createSilenceAudit(): SilenceAudit {
  let fromMs = 0;
  let toMs = 0;
  let backByMs = 0;
  let heardMs: number | undefined;

  function noteCall({ nowMs, after }: Step, standing: Iterable<Member>): void {
    const beforeMs = heardMs ?? nowMs;
    heardMs = after.heardMs;
    insist(isKeptUp({ nowMs, after }), `the line recorded its last call at ${heardMs}`);
    const isMissed = ({ phase, expectedMs }: Member) =>
      phase === "waiting" && expectedMs > beforeMs && expectedMs <= nowMs;
    if (nowMs - beforeMs < SILENCE_MS || [...standing].filter(isMissed).length < MISSED_POLLS_MIN) return;
    if (nowMs >= backByMs) fromMs = beforeMs;
    toMs = nowMs;
    backByMs = nowMs + Math.max(RETURN_MS_MIN, Math.min(RETURN_MS_MAX, nowMs - beforeMs));
  }

  return {
    noteCall,
    isForgiven: (expectedMs, nowMs) =>
      nowMs >= toMs && nowMs < backByMs && expectedMs > fromMs - LATE_MS && expectedMs <= toMs,
  };
}

/** An empty line records nothing. */
function isKeptUp({ nowMs, after: { heardMs, waiting } }: Pick<Step, "nowMs" | "after">): boolean {
  return waiting.size === 0 || (heardMs <= nowMs && heardMs > nowMs - HEARD_EVERY_MS);
}
