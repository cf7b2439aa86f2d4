import type { Redis } from "ioredis";
import { assert } from "../../shared/assert.ts";
import { LAYOUT } from "../commit/layout.ts";
import type { Database } from "../db/database.ts";
import { layOutEnded } from "../projections/lay-out-ended.ts";
import { moveReferences } from "../projections/move-references.ts";

/**
 * The chain of layouts of the venue's Redis. A step may be interrupted at any point and is then run again from its beginning, so it reads what is there,
 * writes absolute values, and deletes the old form last. It works in pages: others use the server meanwhile. PostgreSQL already has the newest
 * tables when it runs. Journal entries are never rewritten: `origin/commit/journal-body.ts` reads every format there was. Steps that lead to the same layout run in this order, and the number changes after the last of them.
 */
export type UpgradeStep = {
  readonly from: number;
  readonly to: number;
  /** For the log and `/health`: "Upgrading the venue's Redis to layout 2: …". */
  readonly what: string;
  readonly run: (context: StepContext) => Promise<void>;
};

export type StepContext = {
  readonly redis: Redis;
  readonly database: Database;
  /** Before each page: throws when another process has taken the upgrade over. Also says how far the step is. */
  readonly page: (progress: string) => void;
};

export const UPGRADE_STEPS: readonly UpgradeStep[] = [
  {
    from: 1,
    to: 2,
    what: "ended orders leave it when PostgreSQL has them",
    run: ({ redis, page }) => layOutEnded(redis, ({ orders, users }) => page(`${orders} orders, ${users} users`)),
  },
  {
    from: 1,
    to: 2,
    what: "client order ids and references are packed, and counted for each user",
    run: ({ redis, page }) => moveReferences(redis, { onProgress: ({ done, total }) => page(`${done} of ${total}`) }),
  },
];

export function assertChain(steps: readonly UpgradeStep[]): void {
  let at = 1;
  for (const { from, to } of steps) {
    assert(to === from + 1 && (from === at || to === at), "each step leads from the layout before to the next");
    at = to;
  }
  assert(at === LAYOUT, "the chain ends at this program's layout");
}
