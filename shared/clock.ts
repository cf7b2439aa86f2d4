/** Time is passed in, so that tests own it. This file and the entry files are the only ones that ask the machine. */
export type Clock = {
  /** Milliseconds since the Unix epoch. May jump when the machine's clock is set. */
  readonly nowMs: () => number;
};

export const systemClock: Clock = { nowMs: () => Date.now() };
