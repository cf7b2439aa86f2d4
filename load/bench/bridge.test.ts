import { expect, it } from "vitest";
import { bridgeBenchmark } from "./bridge.ts";

it("measures the bridge against both baselines and comes to finite ratios", async () => {
  const rows = await bridgeBenchmark.run({ quick: true });
  expect(rows).toHaveLength(3);
  for (const row of rows) {
    expect(row.ratio, row.what).toBeGreaterThan(0);
    expect(Number.isFinite(row.ratio), row.what).toBe(true);
    expect(row.subjectRounds).toHaveLength(1);
    expect(row.baselineRounds).toHaveLength(1);
  }
});
