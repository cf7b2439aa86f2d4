/** Time is passed in, so that tests control it. Only this file and the entry files ask the machine. */
export type Clock = {
  /** Milliseconds since the Unix epoch. May jump when the machine's clock is set. */
  readonly nowMs: () => number;
};

export const systemClock: Clock = { nowMs: () => Date.now() };
