import { expect, it } from "vitest";
import { IS_FULL_RUN } from "../../../kit/full-run.ts";
import { lineBenchmark, scoreCrowds, smallCrowds } from "./line.ts";

type Rows = Awaited<ReturnType<typeof scoreCrowds>>;

function expectKept(rows: Rows): void {
  for (const { what, ratio, notes } of rows) {
    expect(ratio, what).toBeGreaterThan(0.9);
    expect(ratio, `slower than the ideal line: ${what}`).toBeLessThanOrEqual(1);
    expect(notes, what).toContain("0 over the cap, 0 over the rate, 0 overtaken");
  }
}

it("scores the line and two rivals on small crowds: none over the cap, over the rate or overtaken", async () => {
  const rows = await lineBenchmark.run({ quick: true });
  const ours = rows.filter(({ aim }) => aim > 0);
  expect([ours.length, rows.length - ours.length]).toEqual([5, 12]);
  expectKept(ours);
});

if (IS_FULL_RUN)
  it("keeps cap, rate and order in small crowds under every limit, rate and share of silent visitors", async () => {
    const rows = await scoreCrowds(smallCrowds());
    expect(rows).toHaveLength(18);
    expectKept(rows);
  });
