import type { Part } from "../../stack/plan-stack.ts";
import type { RunningStack } from "../../stack/run-stack.ts";
import type { StackSecrets } from "../../stack/secrets.ts";
import type { LineWatch } from "./line-watch.ts";

/** The gate under load, with one queue. */
export type Target = {
  /** Description for the report. */
  readonly what: string;
  /** The edges. A visitor stays with one as long as it answers. */
  readonly urls: readonly [string, ...string[]];
  readonly queueId: string;
  /** A protected page that answers 200 to an admitted visitor. */
  readonly path: string;
  /** The limits of the queue; undefined if unknown. */
  readonly limits: QueueLimits | undefined;
  readonly watch: LineWatch | undefined;
  /** Access to the parts of the run's own stack. */
  readonly own: OwnStack | undefined;
  readonly stop: () => Promise<void>;
};

export type QueueLimits = { readonly cap: number; readonly rate: number; readonly burst: number };

export type OwnStack = {
  readonly folder: string;
  readonly parts: readonly Part[];
  readonly stack: RunningStack;
  readonly secrets: StackSecrets;
  readonly adminToken: string;
  readonly lineUrl: string;
  readonly venueUrl: string;
  readonly originUrl: string;
};
