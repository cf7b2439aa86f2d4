import { expect, it } from "vitest";
import { liveBenchmark } from "./live.ts";

it("measures fan-out, scale and the cost for orders", async () => {
  const rows = await liveBenchmark.run({ quick: true });
  expect(rows.length).toBeGreaterThanOrEqual(4);
  for (const row of rows) expect(row.ratio, row.what).toBeGreaterThan(0);
}, 120_000);
