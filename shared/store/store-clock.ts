import type { Clock } from "./clock.ts";

/**
 * The store's time, as this process or isolate knows it. All who stand on one store agree on one clock, so that one of them may be an hour
 * off: a token it signs is good at the others, and a pass ends when its slot does. Until the store was heard, its own clock counts.
 */
export type StoreClock = Clock & {
  readonly isHeard: () => boolean;
  /** What the store answered to a question that was sent at `askedAtMs` of one's own clock. */
  readonly learn: (heard: { readonly storeMs: number; readonly askedAtMs: number }) => void;
};

/** A round trip measures no better than this, and tokens tolerate more. */
const DIFFERENCE_MS_MIN = 1_500;

export function createStoreClock(own: Clock): StoreClock {
  let differenceMs = 0;
  let isHeard = false;
  return {
    isHeard: () => isHeard,
    nowMs: () => own.nowMs() + differenceMs,
    learn: ({ storeMs, askedAtMs }) => {
      isHeard = true;
      const measured = storeMs - (askedAtMs + own.nowMs()) / 2;
      differenceMs = Math.abs(measured) < DIFFERENCE_MS_MIN ? 0 : Math.round(measured);
    },
  };
}
