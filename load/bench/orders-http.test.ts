import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import type { BenchmarkRow } from "./benchmark.ts";

const LUA_LOADER = new URL("../../origin/lua-loader.ts", import.meta.url).href;

/** In a process of its own, as `npm run bench` runs it. */
const QUICK_RUN = `
  const { ordersHttpBenchmark } = await import(${JSON.stringify(new URL("./orders-http.ts", import.meta.url).href)});
  process.stdout.write(JSON.stringify(await ordersHttpBenchmark.run({ quick: true })));
`;

it("measures orders over HTTP, at the origin, through the gate and in batches, without one that fails", { timeout: 180_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", LUA_LOADER, "--input-type=module", "--eval", QUICK_RUN]);
  const rows = JSON.parse(stdout) as readonly BenchmarkRow[];
  expect(rows).toHaveLength(9);
  for (const row of rows) expect(Number.isFinite(row.ratio) && row.ratio > 0, row.what).toBe(true);
});
