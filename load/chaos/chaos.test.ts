import { expect, it } from "vitest";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import { seededRandom } from "../../kit/random.ts";
import { systemClock } from "../../shared/clock.ts";
import type { Cell } from "./cell.ts";
import { faultMatrix } from "./cells.ts";
import { withResults } from "./matrix-table.ts";
import { runMatrix } from "./run-matrix.ts";

const SLOW_MACHINE_MS = 240_000;
const matrix = faultMatrix(seededRandom(1));

it(
  "keeps the order of entry, orders and money through the quick part of the fault matrix",
  async () => {
    const quick = matrix.filter(({ isQuick = false }) => isQuick);
    // One fault of the gate and one of the venue; the others take another half a minute.
    const cells = IS_FULL_RUN ? quick : [...quick.slice(0, 1), ...quick.slice(-1)];
    expect(cells.length).toBeGreaterThan(1);
    const results = await runMatrix({
      cells,
      seed: 1,
      clock: systemClock,
      say: () => {},
      signal: new AbortController().signal,
    });
    expect(results.map(({ cell, outcome, seen }) => `${cell.name}: ${outcome === "pass" ? outcome : seen}`)).toEqual(
      cells.map(({ name }) => `${name}: pass`),
    );
  },
  SLOW_MACHINE_MS,
);

it("names every cell once", () => {
  expect(new Set(matrix.map(({ name }) => name)).size).toBe(matrix.length);
});

it("replaces the rows of the cells that ran, and keeps other rows and the rest of the page", () => {
  const [first, second] = matrix as readonly [Cell, Cell, ...Cell[]];
  const names = matrix.map(({ name }) => name);
  const page = "before\n<!-- chaos -->\n<!-- /chaos -->\nafter\n";
  const one = withResults(page, [{ cell: second, seen: "all | well", outcome: "pass" }], names);
  const both = withResults(one, [{ cell: first, seen: "lost: 1", outcome: "fail" }], names);
  const rows = both.split("\n").filter((line) => line.startsWith(`| ${first.component}`));
  expect(rows).toEqual([
    `| ${first.component} | ${first.fault} | ${first.expected} | lost: 1 | **fail** |`,
    `| ${second.component} | ${second.fault} | ${second.expected} | all \\| well | pass |`,
  ]);
  expect(both.startsWith("before\n<!-- chaos -->\n")).toBe(true);
  expect(both.endsWith("<!-- /chaos -->\nafter\n")).toBe(true);
});
