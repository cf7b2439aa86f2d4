import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import type { BenchmarkRow } from "./benchmark.ts";

/** In a process of its own, as `npm run bench` runs it. */
const QUICK_RUN = `
  const { identityBenchmark } = await import(${JSON.stringify(new URL("./identity.ts", import.meta.url).href)});
  process.stdout.write(JSON.stringify(await identityBenchmark.run({ quick: true })));
`;
const LUA_LOADER = new URL("../../origin/lua-loader.ts", import.meta.url).href;

it("measures signed requests and sign-ins at the origin as it is started, and comes to finite ratios", async () => {
  const args = ["--import", LUA_LOADER, "--input-type=module", "--eval", QUICK_RUN];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const rows = JSON.parse(stdout) as readonly BenchmarkRow[];
  expect(rows).toHaveLength(2);
  for (const row of rows) {
    expect(row.ratio, row.what).toBeGreaterThan(0);
    expect(Number.isFinite(row.ratio), row.what).toBe(true);
  }
});
