import type { Context } from "hono";
import type { EdgeEnvironment } from "./env.ts";
import type { OpenStore } from "./gate/open-gate.ts";

/** What differs between the runtimes that the edge runs in. Everything else is the same app. */
export type Platform = {
  readonly openStore: OpenStore;
  /** Keeps work alive that goes on after the answer. */
  readonly later: (c: Context<EdgeEnvironment>, work: Promise<unknown>) => void;
};
