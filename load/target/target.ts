import type { Part } from "../../origin/stack/plan-stack.ts";
import type { RunningStack } from "../../origin/stack/run-stack.ts";
import type { StackSecrets } from "../../origin/stack/secrets.ts";
import type { LineWatch } from "./line-watch.ts";

/** What a load is put on: a gate with a queue in front of something. */
export type Target = {
  /** For people. */
  readonly what: string;
  /** The edges; a visitor stays with one as long as it answers. */
  readonly urls: readonly [string, ...string[]];
  readonly queueId: string;
  /** A protected page that answers 200 to whoever is in. */
  readonly path: string;
  /** What the queue was told to keep to, by us or by its operator; undefined where that is unknown. */
  readonly limits: QueueLimits | undefined;
  readonly watch: LineWatch | undefined;
  /** What can be reached of a stack that we have started ourselves. */
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
