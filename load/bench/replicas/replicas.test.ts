import { expect, it } from "vitest";
import { replicasBenchmark } from "./replicas.ts";

it("waits for the replica once per join, or once for many joins of one turn", { timeout: 120_000 }, async () => {
  const rows = await replicasBenchmark.run({ quick: true });
  const [alone, together] = rows.map(
    ({ notes = "" }) => /(\d+) WAITs for (\d+) joins/.exec(notes)?.slice(1).map(Number) ?? [],
  );
  expect(alone?.[0]).toBeGreaterThanOrEqual(alone?.[1] ?? Number.NaN);
  expect(together?.[0]).toBeGreaterThan(0);
  expect(together?.[0]).toBeLessThan(together?.[1] ?? Number.NaN);
  for (const { what, ratio } of rows) expect(ratio, what).toBeGreaterThan(0);
});
