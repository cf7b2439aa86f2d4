import type { Clock } from "../../shared/clock.ts";

/**
 * Whether the store has lately left a call unanswered. Then no request waits for a read that it can do without. One answer to a later call
 * ends the silence; so does time, because a store that was slow two seconds ago may have answered others since.
 */
export type StoreSilence = {
  readonly isSilent: () => boolean;
  /** Both are told when the call was made, on the edge's own clock. */
  readonly answered: (askedAtMs: number) => void;
  readonly unanswered: (askedAtMs: number) => void;
};

/** As long as a value counts as fresh: a change made after the silence is known within the same 2 s as any other. */
const SILENCE_MS = 1_900;

export function createStoreSilence(clock: Clock): StoreSilence {
  let answeredMs = Number.NEGATIVE_INFINITY;
  let unansweredMs = Number.NEGATIVE_INFINITY;
  return {
    isSilent() {
      // Negative when the clock was set back: then nothing is known.
      const elapsedMs = clock.nowMs() - unansweredMs;
      return unansweredMs > answeredMs && elapsedMs >= 0 && elapsedMs < SILENCE_MS;
    },
    answered(askedAtMs) {
      answeredMs = askedAtMs;
    },
    unanswered(askedAtMs) {
      unansweredMs = askedAtMs;
    },
  };
}
