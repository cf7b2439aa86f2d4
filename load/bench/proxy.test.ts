import { expect, it } from "vitest";
import { proxyBenchmark } from "./proxy.ts";

it("the proxy's benchmark runs to its end and compares", async () => {
  const rows = await proxyBenchmark.run({ quick: true });
  expect(rows).toHaveLength(4);
  for (const row of rows) {
    expect(Number.isFinite(row.ratio)).toBe(true);
    expect(row.ratio).toBeGreaterThan(0);
  }
});
