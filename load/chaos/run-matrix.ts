import { seededRandom } from "../../kit/random.ts";
import type { Clock } from "../../shared/clock.ts";
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

/** Two traders are always inside; the rest of the cap is small, so that one admission too many shows. */
const QUEUE = { maxActive: 20, admissionRate: 6, admissionBurst: 3, claimSeconds: 20 };
const ORDER_EVERY_MS = 100;

/** More visitors than the rate admits while they arrive: there is a line when the fault begins and when it ends. */
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

/** During a long fault visitors keep arriving at the admission rate, so that some are always without an answer. */
function crowdFor({ lastsMs }: Cell): Omit<CrowdOptions, "seed"> {
  const overSeconds = Math.max(CROWD.overSeconds, Math.ceil(lastsMs / 1_000));
  const visitors = CROWD.visitors + (overSeconds - CROWD.overSeconds) * QUEUE.admissionRate;
  return { ...CROWD, visitors, overSeconds, withinSeconds: CROWD.withinSeconds + overSeconds };
}

/** One stack for all cells: each begins in the state that the one before left, as in production. */
export async function runMatrix({ cells, seed, clock, say, signal }: MatrixOptions): Promise<readonly CellResult[]> {
  say(
    "Starting four edges, two bridges, an engine with a standby, an api process, a worker, two Redis servers and PostgreSQL",
  );
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
