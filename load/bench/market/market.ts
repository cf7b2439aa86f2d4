import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark } from "../benchmark.ts";
import { measureCharts, measureFold } from "./market-alone.ts";
import { measureCoreWithMarket } from "./market-core.ts";
import { measureCandleRoute } from "./market-route.ts";
import { measureMemory, measureRebuild } from "./market-stores.ts";

export type MarketEffort = {
  readonly trades: number;
  readonly rounds: number;
  readonly durationMs: number;
  readonly days: number;
  readonly charts: number;
};

const FULL: MarketEffort = { trades: 1_000_000, rounds: 5, durationMs: 4_000, days: 30, charts: 40 };
const QUICK: MarketEffort = { trades: 20_000, rounds: 1, durationMs: 500, days: 1, charts: 3 };

/** Market data: the fold, its cost for the core, its memory, a rebuild, the route of candles and chart images. */
export const marketBenchmark: Benchmark = {
  name: "market",
  async run({ quick }) {
    const effort = quick ? QUICK : FULL;
    const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
    try {
      return [
        ...measureFold(effort),
        ...(await measureCoreWithMarket(effort)),
        ...(await measureMemory(join(folder, "memory"), effort)),
        ...(await measureRebuild(join(folder, "rebuild"), effort)),
        ...(await measureCandleRoute(join(folder, "route"), effort)),
        await measureCharts(effort),
      ];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
