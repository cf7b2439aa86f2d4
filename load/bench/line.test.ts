import { expect, it } from "vitest";
import { lineBenchmark } from "./line.ts";

it("scores our line and two rivals on small crowds, and finds nobody over the cap, over the rate or overtaken in ours", async () => {
  const rows = await lineBenchmark.run({ quick: true });
  const ours = rows.filter(({ aim }) => aim > 0);
  expect(ours).toHaveLength(18);
  expect(rows).toHaveLength(30);
  for (const row of ours) {
    expect(row.ratio, row.what).toBeGreaterThan(0.9);
    expect(row.ratio, `nobody beats the ideal: ${row.what}`).toBeLessThanOrEqual(1);
    expect(row.notes, row.what).toContain("0 over the cap, 0 over the rate, 0 overtaken");
  }
});
