import { expect, it } from "vitest";
import { engineBenchmark } from "./engine.ts";

it("plays the same operations to the engine, its bare book and two others, which all come to the same book", async () => {
  const rows = await engineBenchmark.run({ quick: true });
  expect(rows).toHaveLength(19);
  for (const row of rows) expect(row.ratio, row.what).toBeGreaterThan(0);
  for (const row of rows) expect(Number.isFinite(row.ratio), row.what).toBe(true);
});
