/** Looks at the line from beside the gate, while a crowd stands in it. */
export type LineWatch = {
  /** How often it may be asked. */
  readonly everyMs: number;
  /** Undefined while the line cannot be asked: in a fault, that is to be expected. */
  readonly look: (wanted?: readonly string[]) => Promise<LineLook | undefined>;
  readonly stop: () => void;
};

export type LineLook = {
  /** It shows the line between these two moments of the store's clock, which every time here is by. */
  readonly atMs: number;
  readonly byMs: number;
  readonly waiting: number;
  /** Slots taken, by those inside and by those whose turn it is. */
  readonly active: number;
  readonly cap: number;
  /** How many were ever let in. */
  readonly admitted: number;
  /** Whose turn it is; their tickets' ids. Undefined where that cannot be asked. */
  readonly ready: readonly string[] | undefined;
  /** Of the sessions that were asked for and still run: when their slots return. */
  readonly slotEndsMs: ReadonlyMap<string, number>;
};
