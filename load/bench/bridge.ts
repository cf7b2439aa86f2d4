import type { Benchmark } from "./benchmark.ts";

export const bridgeBenchmark: Benchmark = { name: "bridge", run: async () => [] };
