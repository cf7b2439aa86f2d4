import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import type { BenchmarkRow } from "./benchmark.ts";

/** In a process of its own, as `npm run bench` runs it. */
const QUICK_RUN = `
  const { gateBenchmark } = await import(${JSON.stringify(new URL("./gate.ts", import.meta.url).href)});
  process.stdout.write(JSON.stringify(await gateBenchmark.run({ quick: true })));
`;

it("measures the gate on both runtimes, and counts no store command too many", { timeout: 120_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", QUICK_RUN]);
  const rows = JSON.parse(stdout) as readonly BenchmarkRow[];
  expect(rows).toHaveLength(7);
  for (const row of rows) {
    expect(row.ratio, row.what).toBeGreaterThan(0);
    expect(Number.isFinite(row.ratio), row.what).toBe(true);
  }
});
