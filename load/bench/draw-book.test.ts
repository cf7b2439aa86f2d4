import { expect, it } from "vitest";
import type { BenchmarkRow } from "./benchmark.ts";
import { drawBook } from "./draw-book.ts";
import { formatRows, replaceSection } from "./report.ts";

const row = (what: string, ratio: number, aim: number): BenchmarkRow => ({
  ...{ what, unit: "1/s", ratio, aim },
  ...{ subjectMedian: ratio, baselineMedian: 1, subjectRounds: [ratio], baselineRounds: [1] },
});

function pageOf(sections: Readonly<Record<string, readonly BenchmarkRow[]>>): string {
  return Object.entries(sections).reduce(
    (page, [name, rows]) => replaceSection({ page, name, content: formatRows(rows) }),
    "# Performance\n",
  );
}

it("shows the first row with an aim of each benchmark, met or missed", () => {
  const svg = drawBook(
    pageOf({
      bridge: [row("SET <fast>", 0.36, 0.25), row("GET", 1, 1)],
      "line-cost": [row("no aim", 3, 0), row("a poll", 0.4, 0.5)],
    }),
  );
  expect(svg).toContain("0.36 (aim 0.25)");
  expect(svg).toContain("SET &lt;fast&gt;");
  expect(svg).not.toContain(">GET<");
  expect(svg).toMatch(/>line-cost<[^\n]*class="missed"[^\n]*0\.40 \(aim 0\.50\)[^\n]*a poll/);
  expect(svg).toMatch(/>bridge<[^\n]*class="met"/);
});

it("keeps every bar inside the picture", () => {
  const widths = [
    ...drawBook(pageOf({ engine: [row("tight", 150, 15)] })).matchAll(/ width="([\d.]+)" height="13"/g),
  ].map(([, width]) => Number(width));
  expect(widths).toEqual([540]);
});
