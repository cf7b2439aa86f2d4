import { expect, it } from "vitest";
import { ordersBenchmark } from "./orders.ts";

it("measures the order path against its baseline under both settings and comes to finite ratios", async () => {
  const rows = await ordersBenchmark.run({ quick: true });
  expect(rows).toHaveLength(8);
  for (const row of rows) {
    expect(row.ratio, row.what).toBeGreaterThan(0);
    expect(Number.isFinite(row.ratio), row.what).toBe(true);
  }
});
