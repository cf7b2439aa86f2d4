/** Samples the line without going through the gate's visitor routes. */
export type LineWatch = {
  /** The shortest interval between samples. */
  readonly everyMs: number;
  /** Undefined while the store is unavailable, as during a fault. */
  readonly look: () => Promise<LineLook | undefined>;
  readonly stop: () => void;
};

export type LineLook = {
  readonly waiting: number;
  /** Slots taken. */
  readonly active: number;
  readonly cap: number;
  /** Admissions since the queue exists. */
  readonly admitted: number;
};
