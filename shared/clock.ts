/** Time is passed in, so that tests control it. Only this file and the entry files ask the machine. */
export type Clock = {
  /** Milliseconds since the Unix epoch. May jump when the machine's clock is set. */
  readonly nowMs: () => number;
};

export const systemClock: Clock = { nowMs: () => Date.now() };

/**
 * The store's time, as this process or isolate knows it. All processes of one store share its clock, so that a machine
 * whose clock is an hour off still signs tokens that the others accept, and a pass ends when its slot does. Before the
 * store's first answer, the machine's own clock counts.
 */
export type StoreClock = Clock & {
  readonly isHeard: () => boolean;
  /** Notes the store's answer to a question that was sent at `askedAtMs` of the machine's own clock. */
  readonly learn: (answer: { readonly storeMs: number; readonly askedAtMs: number }) => void;
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
