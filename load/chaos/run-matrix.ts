import type { Clock } from "../../shared/clock.ts";
import { seededRandom } from "../../test/sim/random.ts";
import type { CrowdOptions } from "../crowd/crowd-options.ts";
import type { Cell, CellResult } from "./cell.ts";
import { startChaosStack } from "./chaos-stack.ts";
import { startOrderFlow } from "./order-flow.ts";
import { runCell } from "./run-cell.ts";

type MatrixOptions = {
  readonly cells: readonly Cell[];
  readonly seed: number;
  readonly clock: Clock;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
};

/** Two traders stay inside all the time; the rest of the cap is for the crowd, and small, so that one too many would be seen. */
const QUEUE = { maxActive: 20, admissionRate: 6, admissionBurst: 3, claimSeconds: 20 };
const ORDER_EVERY_MS = 100;

/** More people than the rate lets in while they come: there is a line when the fault comes and when it goes. */
const CROWD: Omit<CrowdOptions, "seed"> = {
  visitors: 48,
  overSeconds: 4,
  curve: "steady",
  silentShare: 0.1,
  returnShare: 0,
  leaveShare: 0.05,
  retryShare: 0.1,
  shareAddressShare: 0,
  requests: 2,
  staySeconds: 1,
  withinSeconds: 120,
  shard: { index: 1, count: 1 },
};

/** They come for as long as a long fault lasts, as many as the rate lets in: there are always some who have not been answered yet. */
function crowdFor({ lastsMs }: Cell): Omit<CrowdOptions, "seed"> {
  const overSeconds = Math.max(CROWD.overSeconds, Math.ceil(lastsMs / 1_000));
  const visitors = CROWD.visitors + (overSeconds - CROWD.overSeconds) * QUEUE.admissionRate;
  return { ...CROWD, visitors, overSeconds, withinSeconds: CROWD.withinSeconds + overSeconds };
}

/** One stack for all of them: each cell begins where the one before has left it, as in life. */
export async function runMatrix({ cells, seed, clock, say, signal }: MatrixOptions): Promise<readonly CellResult[]> {
  say("Starting four edges, two bridges, an engine with a standby, an api process, a worker, two Redis servers and PostgreSQL");
  const stack = await startChaosStack({ queue: QUEUE });
  try {
    const flow = await startOrderFlow({
      folder: stack.folder,
      urls: stack.target.urls.slice(1, 3),
      random: seededRandom(seed),
      everyMs: ORDER_EVERY_MS,
    });
    try {
      const results: CellResult[] = [];
      for (const [index, cell] of cells.entries()) {
        if (signal.aborted) break;
        const result = await runCell(cell, { stack, flow, clock }, { ...crowdFor(cell), seed: seed + index });
        results.push(result);
        say(`${MARKS[result.outcome]} ${index + 1}/${cells.length} ${cell.name}: ${result.seen}`);
      }
      return results;
    } finally {
      await flow.stop();
    }
  } finally {
    await stack.stop();
  }
}

const MARKS = { pass: "✓", fail: "✗", "not injectable here": "–" } as const;
