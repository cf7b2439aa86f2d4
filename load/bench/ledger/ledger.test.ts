import { expect, it } from "vitest";
import { ledgerBenchmark } from "./ledger.ts";

it("posts the orders that the core commits, and reads a year of trades by index", async () => {
  const rows = await ledgerBenchmark.run({ quick: true });
  expect(rows).toHaveLength(6);
  for (const { what, baselineMedian, notes } of rows.slice(0, 2)) {
    expect(baselineMedian, what).toBeGreaterThan(0);
    expect(notes, what).toMatch(/^caught up after/);
  }
  for (const { what, notes, subjectMedian } of rows.slice(2)) {
    expect(notes, what).toMatch(/Index|Bitmap/);
    expect(subjectMedian, what).toBeGreaterThan(0);
  }
}, 240_000);
