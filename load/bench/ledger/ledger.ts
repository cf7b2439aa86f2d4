import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark } from "../benchmark.ts";
import { measureFollowing } from "./ledger-follow.ts";
import { measureYear } from "./ledger-year.ts";

type Effort = { readonly trades: number; readonly queries: number; readonly followMs: number };

const FULL: Effort = { trades: 10_000_000, queries: 200, followMs: 60_000 };
const QUICK: Effort = { trades: 20_000, queries: 20, followMs: 1_000 };

/**
 * The permanent record on a real PostgreSQL server: whether it keeps up with the core, and queries on a year of trades.
 */
export const ledgerBenchmark: Benchmark = {
  name: "ledger",
  async run({ quick }) {
    const effort = quick ? QUICK : FULL;
    const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
    try {
      return [
        ...(await measureFollowing(join(folder, "follow"), effort)),
        ...(await measureYear(join(folder, "year"), effort)),
      ];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
