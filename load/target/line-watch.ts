/** Looks at the line from beside the gate, while a crowd stands in it. */
export type LineWatch = {
  /** How often it may be asked. */
  readonly everyMs: number;
  /** Undefined while the line cannot be asked: in a fault, that is to be expected. */
  readonly look: () => Promise<LineLook | undefined>;
  readonly stop: () => void;
};

export type LineLook = {
  readonly waiting: number;
  /** Slots taken. */
  readonly active: number;
  readonly cap: number;
  /** How many were ever let in. */
  readonly admitted: number;
};
