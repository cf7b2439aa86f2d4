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
  /** Makes it happen; what it gives back makes it end, and tells what else was seen of it. Both throw if what has to happen does not. */
  readonly inject: (stack: ChaosStack) => Promise<() => Promise<string | undefined>>;
  /** A program without which it cannot be made to happen here. */
  readonly needs?: string;
  /** Whether it is one of the few that run with the tests. */
  readonly isQuick?: boolean;
  /** True: whoever trades goes on, and orders are acknowledged while it lasts. False: none may be. Left out, either may happen. */
  readonly isTradingOn?: boolean;
  /** No request with a valid pass may fail while it lasts, and every error is one of the gate's own. */
  readonly passesHold?: boolean;
  /** Only where people trade can it happen, or be seen. */
  readonly needsOrders?: boolean;
  /** What is wrong with what the audit says afterwards, where it is not to say that everything agrees. */
  readonly faultOfAudit?: (audit: string) => string | undefined;
};

export type CellResult = {
  readonly cell: Cell;
  readonly seen: string;
  readonly outcome: "pass" | "fail" | "not injectable here";
};
