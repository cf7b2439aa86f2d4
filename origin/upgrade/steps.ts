import type { Redis } from "ioredis";
import { assert } from "../../shared/assert.ts";
import type { Database } from "../db/database.ts";
import { LAYOUT } from "../state/layout.ts";
import { layOutEnded } from "./lay-out-ended.ts";
import { moveReferences } from "./move-references.ts";

/**
 * The chain of layouts of the venue's Redis. A step may be interrupted at any point and then runs again from its
 * beginning, so it reads the current state, writes absolute values and deletes the old form last. It works in pages,
 * because others use the server meanwhile. PostgreSQL already has the newest tables when it runs. Journal entries are
 * never rewritten: `origin/journal/journal-body.ts` reads every earlier format. Steps that lead to the same layout run
 * in this order, and the number changes after the last of them.
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
  /** Called before each page with the progress of the step. Throws if another process has taken over the upgrade. */
  readonly page: (progress: string) => void;
};

export const UPGRADE_STEPS: readonly UpgradeStep[] = [
  {
    from: 1,
    to: 2,
    what: "moving the lists of ended orders",
    run: ({ redis, page }) => layOutEnded(redis, ({ orders, users }) => page(`${orders} orders, ${users} users`)),
  },
  {
    from: 1,
    to: 2,
    what: "packing and counting client order ids and references",
    run: ({ redis, page }) => moveReferences(redis, { onProgress: ({ done, total }) => page(`${done} of ${total}`) }),
  },
  {
    from: 2,
    to: 3,
    // Conditional orders, order lists and auctions only add. The number keeps programs that would misread them out.
    what: "nothing has to be moved",
    run: async () => {},
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
