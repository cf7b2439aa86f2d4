/** What a run shows of itself while it goes on. */
export type Progress = {
  /** One line that stays. */
  readonly say: (line: string) => void;
  /** The figures of now; each replaces what was shown before. Called some times a second. */
  readonly show: (rows: readonly ProgressRow[]) => void;
  /** The figures stay as they are; what is said from now on stands below. */
  readonly end: () => void;
};

export type ProgressRow = {
  readonly label: string;
  readonly value: number;
  /** What the value is measured against: there is a bar then. */
  readonly of?: number;
  /** Whether it only grows, so that its pace says something. */
  readonly isCount?: boolean;
};
