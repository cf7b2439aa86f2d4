import { expect, it } from "vitest";
import { bridgeBenchmark } from "./bridge.ts";

it("sends its pipelines and those of redis-benchmark to one Redis, which counts both", async () => {
  const rows = await bridgeBenchmark.run({ quick: true });
  expect(rows.map(({ what }) => what.split(" ")[0])).toEqual(["SET", "GET", "single"]);
  for (const row of rows) expect(row.ratio, row.what).toBeGreaterThan(0);
  for (const { notes = "" } of rows.slice(0, 2)) {
    const [, counted, throughBridge, byBenchmark] =
      /counted (\d+) .* (\d+) of them .* and (\d+) by/.exec(notes)?.map(Number) ?? [];
    expect(throughBridge).toBeGreaterThan(0);
    expect(byBenchmark).toBe(50_000);
    expect(counted).toBeGreaterThanOrEqual((throughBridge ?? 0) + (byBenchmark ?? 0));
  }
});
