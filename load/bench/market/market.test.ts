import { expect, it } from "vitest";
import { quickRun } from "../quick-run.ts";

it("measures the fold, its cost for the core, memory, a rebuild, the route and charts", async () => {
  const rows = await quickRun(new URL("./market.ts", import.meta.url), "marketBenchmark");
  expect(rows).toHaveLength(7);
  for (const { what, subjectMedian } of rows) expect(subjectMedian, what).toBeGreaterThan(0);
}, 120_000);
