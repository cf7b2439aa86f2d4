import type { ChaosStack } from "./chaos-stack.ts";

/** One cell of the matrix: something of the product, and something that happens to it. */
export type Cell = {
  /** For `--only`, and the row of the table. */
  readonly name: string;
  readonly component: string;
  readonly fault: string;
  readonly expected: string;
  /** How long the fault lasts. */
  readonly lastsMs: number;
  /** Makes it happen; what it gives back makes it end. */
  readonly inject: (stack: ChaosStack) => Promise<() => Promise<void>>;
  /** A program without which it cannot be made to happen here. */
  readonly needs?: string;
  /** Whether it is one of the few that run with the tests. */
  readonly isQuick?: boolean;
};

export type CellResult = {
  readonly cell: Cell;
  readonly seen: string;
  readonly outcome: "pass" | "fail" | "not injectable here";
};
