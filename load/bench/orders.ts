import type { Benchmark } from "./benchmark.ts";
import { measureCore } from "./orders-core.ts";

/** The way of an order, part by part: what the core can do by itself, and what is left of it where clients meet it. */
export const ordersBenchmark: Benchmark = {
  name: "orders",
  run: ({ quick }) => measureCore(quick ? QUICK : FULL),
};

const FULL = { rounds: 3, durationMs: 5_000, warmUpMs: 3_000, sets: 300_000 };
const QUICK = { rounds: 1, durationMs: 300, warmUpMs: 300, sets: 5_000 };
