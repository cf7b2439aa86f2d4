import type { Redis } from "ioredis";
import { z } from "zod";
import { defineScript } from "../../shared/store/define-script.ts";
import type { Database } from "../db/database.ts";
import { FENCE_KEY, FORMAT_KEY } from "../journal/keys.ts";
import type { Lease } from "../journal/lease.ts";
import { scriptRunner } from "../redis/script-runner.ts";
import { LAYOUT, readLayout } from "../state/layout.ts";
import markLayoutSource from "./mark-layout.lua";
import { assertChain, UPGRADE_STEPS, type UpgradeStep } from "./steps.ts";

type StepParts = {
  readonly redis: Redis;
  readonly database: Database;
  readonly lease: Pick<Lease, "epoch" | "isLost">;
  readonly tell: (sentence: string) => void;
  readonly steps?: readonly UpgradeStep[];
};

const markLayout = defineScript({
  name: "mark-layout",
  source: markLayoutSource,
  keys: ["fence", "format"],
  args: { epoch: z.int(), layout: z.int() },
  reply: z.int(),
});

/** Upgrades the venue's Redis to this program's layout, from wherever an earlier attempt has left it. */
export async function runSteps({ redis, database, lease, tell, steps = UPGRADE_STEPS }: StepParts): Promise<void> {
  assertChain(steps);
  for (;;) {
    const found = await readLayout(redis);
    if (found.kind !== "layout" || found.layout === LAYOUT) return;
    for (const { from, to, what, run } of steps) {
      if (from !== found.layout) continue;
      const sentence = `Upgrading the venue's Redis to layout ${to}: ${what}`;
      tell(`${sentence}.`);
      const page = (progress: string) => {
        stillLeads(lease);
        tell(`${sentence} (${progress}).`);
      };
      await run({ redis, database, page });
      stillLeads(lease);
    }
    const marked = await markLayout.run(scriptRunner(redis), {
      keys: { fence: FENCE_KEY, format: FORMAT_KEY },
      args: { epoch: lease.epoch, layout: found.layout + 1 },
    });
    if (marked === 0) throw new UpgradeLost();
  }
}

function stillLeads(lease: Pick<Lease, "isLost">): void {
  if (lease.isLost()) throw new UpgradeLost();
}

/** Another process has taken over and does the rest. */
export class UpgradeLost extends Error {
  override readonly name = "UpgradeLost";

  constructor() {
    super("another process has taken the lease");
  }
}
