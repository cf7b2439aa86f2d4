import { expect, it } from "vitest";
import { quickRun } from "../quick-run.ts";

it("signs, verifies and remembers real tokens in workerd", async () => {
  // Each operation checks its own result in the worker, and the run throws if one fails.
  const rows = await quickRun(new URL("./token.ts", import.meta.url), "tokenBenchmark");
  expect(rows.map(({ what }) => what.split(",")[0])).toEqual([
    ...["sign with Ed25519", "verify Ed25519"],
    ...["read a pass seen before", "read a pass seen before"],
  ]);
  for (const { what, ratio } of rows) expect(ratio > 0 && Number.isFinite(ratio), what).toBe(true);
});
