import type { Member } from "./member.ts";
import { insist } from "./objection.ts";
import type { Step } from "./step.ts";

/** Times in which nobody was heard although several should have been: they count against nobody who was there before. */
export type SilenceAudit = {
  /** A call that looks at the line; those who stood there before it are given the time to come back, if it ends an outage. */
  readonly hear: (step: Step, standing: Iterable<Member>) => void;
  readonly isForgiven: (ms: number, nowMs: number) => boolean;
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

  const isForgiven = (ms: number, nowMs: number) => nowMs >= toMs && nowMs < backByMs && ms > fromMs && ms < toMs + LATE_MS;

  function hear({ nowMs, after }: Step, standing: Iterable<Member>): void {
    const beforeMs = heardMs ?? nowMs;
    heardMs = after.heardMs;
    insist(isKeptUp({ nowMs, after }), `the line was last heard at ${heardMs}, as it says itself`);
    const members = [...standing];
    if (nowMs - beforeMs < SILENCE_MS || missed(members, { beforeMs, nowMs }) < MISSED_POLLS_MIN) return;
    if (nowMs >= backByMs) fromMs = beforeMs;
    toMs = nowMs;
    backByMs = nowMs + Math.max(RETURN_MS_MIN, Math.min(RETURN_MS_MAX, nowMs - beforeMs));
    for (const member of members) {
      const missedMs = member.phase === "waiting" ? member.overdueMs : member.untilMs;
      if (isForgiven(missedMs, nowMs)) Object.assign(member, { overdueMs: missedMs, dueMs: backByMs });
    }
  }

  return { hear, isForgiven };
}

/** Of an empty line nothing need be known. */
function isKeptUp({ nowMs, after: { heardMs, waiting, ready } }: Pick<Step, "nowMs" | "after">): boolean {
  return waiting.size + ready.size === 0 || (heardMs <= nowMs && heardMs > nowMs - HEARD_EVERY_MS);
}

type Span = { readonly beforeMs: number; readonly nowMs: number };

function missed(members: readonly Member[], { beforeMs, nowMs }: Span): number {
  const isMissed = (ms: number) => ms > beforeMs && ms <= nowMs;
  const polls = members.filter(({ phase, overdueMs }) => phase === "waiting" && isMissed(overdueMs)).length;
  const slots = members.filter(({ phase, untilMs }) => phase !== "waiting" && isMissed(untilMs)).length;
  return polls + Math.min(slots, members.filter(({ phase }) => phase === "ready").length);
}
