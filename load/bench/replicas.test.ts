import { expect, it } from "vitest";
import { replicasBenchmark } from "./replicas.ts";

it("measures what it costs to wait for a replica, alone and together", { timeout: 120_000 }, async () => {
  const rows = await replicasBenchmark.run({ quick: true });
  expect(rows).toHaveLength(2);
  for (const { ratio } of rows) expect(ratio).toBeGreaterThan(0);
});
