import { expect, it } from "vitest";
import { engineBenchmark } from "./engine.ts";
import { MIXES } from "./engine-operations.ts";

it("plays the same operations to the engine, its bare book and two libraries, and all end with the same open orders", async () => {
  // A row throws if the books differ or are empty.
  const rows = await engineBenchmark.run({ quick: true });
  for (const { name } of MIXES)
    expect(rows.filter(({ what }) => what.startsWith(`${name} book of 200`))).toHaveLength(5);
  // And cancels, a sweep, two targets, three rows of triggers, and two rows of an opening.
  expect(rows).toHaveLength(MIXES.length * 5 + 9);
  for (const { what, subjectMedian, baselineMedian } of rows) {
    expect(subjectMedian, what).toBeGreaterThan(0);
    expect(baselineMedian, what).toBeGreaterThan(0);
  }
});
