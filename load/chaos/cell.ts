import type { ChaosStack } from "./chaos-stack.ts";

/** One cell of the matrix: a component and a fault. */
export type Cell = {
  /** Key of the table's row, and what `--only` searches. */
  readonly name: string;
  readonly component: string;
  readonly fault: string;
  readonly expected: string;
  /** How long the fault lasts. */
  readonly lastsMs: number;
  /**
   * Injects the fault. The returned function ends it and reports what else was seen. Both throw if an expected effect
   * is missing.
   */
  readonly inject: (stack: ChaosStack) => Promise<() => Promise<string | undefined>>;
  /** A program that the injection needs. */
  readonly needs?: string;
  /** Whether the cell runs with the tests. */
  readonly isQuick?: boolean;
  /** True: orders are acknowledged during the fault. False: none may be. Undefined: either. */
  readonly isTradingOn?: boolean;
  /** No request with a valid pass may fail during the fault, and every error must come from the gate. */
  readonly passesHold?: boolean;
  /** The fault shows only while orders flow. */
  readonly needsOrders?: boolean;
  /** For a cell after which the audit must report faults: what is wrong with its report, if anything. */
  readonly faultOfAudit?: (audit: string) => string | undefined;
};

export type CellResult = {
  readonly cell: Cell;
  readonly seen: string;
  readonly outcome: "pass" | "fail" | "not injectable here";
};
