import { expect, it } from "vitest";
import { ledgerBenchmark } from "./ledger.ts";

it("posts what the core commits, and finds its way in the year by index", async () => {
  const rows = await ledgerBenchmark.run({ quick: true });
  expect(rows).toHaveLength(6);
  for (const row of rows.slice(0, 2)) expect(row.subjectMedian, row.what).toBeGreaterThan(0);
  for (const row of rows.slice(2)) expect(row.notes, row.what).toMatch(/Index|Bitmap/);
}, 240_000);
