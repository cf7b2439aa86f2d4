import type { Benchmark } from "../benchmark.ts";
import { type CoreEffort, measureCore } from "./orders-core.ts";

/** The order path without HTTP; `orders-http` measures it as clients see it. */
export const ordersBenchmark: Benchmark = {
  name: "orders",
  run: ({ quick }) => measureCore(quick ? QUICK : FULL),
};

const FULL: CoreEffort = {
  fsyncs: ["always", "everysec"],
  rounds: 3,
  durationMs: 5_000,
  warmUpMs: 4_000,
  sets: 100_000,
};
const QUICK: CoreEffort = { fsyncs: ["always"], rounds: 1, durationMs: 300, warmUpMs: 300, sets: 5_000 };
