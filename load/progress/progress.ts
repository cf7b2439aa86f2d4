/** Progress output of a run. */
export type Progress = {
  /** Prints one line. */
  readonly say: (line: string) => void;
  /** The current figures, which replace the ones shown before. Called several times a second. */
  readonly show: (rows: readonly ProgressRow[]) => void;
  /** Keeps the last figures; later lines are printed below them. */
  readonly end: () => void;
};

export type ProgressRow = {
  readonly label: string;
  readonly value: number;
  /** The maximum of the value, for a bar. */
  readonly of?: number;
  /** Whether the value only grows, so that its rate is shown. */
  readonly isCount?: boolean;
};
