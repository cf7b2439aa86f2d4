import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import type { BenchmarkRow } from "./benchmark.ts";

/** In a process of its own, as `npm run bench` runs it. */
const QUICK_RUN = `
  const { ordersHttpBenchmark } = await import(${JSON.stringify(new URL("./orders-http.ts", import.meta.url).href)});
  process.stdout.write(JSON.stringify(await ordersHttpBenchmark.run({ quick: true })));
`;

it("measures orders over HTTP, alone and in batches, without one that fails", { timeout: 180_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", QUICK_RUN]);
  const rows = JSON.parse(stdout) as readonly BenchmarkRow[];
  expect(rows).toHaveLength(4);
  for (const row of rows) expect(Number.isFinite(row.ratio) && row.ratio > 0, row.what).toBe(true);
});
