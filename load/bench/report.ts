import type { BenchmarkRow } from "./benchmark.ts";

/** A Markdown table with the ratio first, because it carries over to other machines; the raw rounds below it. */
export function formatRows(rows: readonly BenchmarkRow[]): string {
  const table = rows.map(
    (row) =>
      `| **${row.ratio.toFixed(2)}** | ${row.aim.toFixed(2)} | ${row.what} | ${figure(row.subjectMedian)} | ${figure(row.baselineMedian)} | ${row.unit} |`,
  );
  const rounds = rows.map(
    (row) =>
      `- ${row.what}: subject ${row.subjectRounds.map(figure).join(", ")}; baseline ${row.baselineRounds.map(figure).join(", ")}${row.notes === undefined ? "" : ` (${row.notes})`}`,
  );
  return [
    "| ratio | aim | what | subject, median | baseline, median | unit |",
    "| --- | --- | --- | --- | --- | --- |",
    ...table,
    "",
    "Rounds, in the order they ran:",
    "",
    ...rounds,
  ].join("\n");
}

const DECIMALS_BELOW = 100;

function figure(value: number): string {
  return value < DECIMALS_BELOW ? value.toFixed(2) : Math.round(value).toLocaleString("en-GB");
}

/** Replaces the text between the benchmark's markers and keeps the rest of the page. */
export function replaceSection({
  page,
  name,
  content,
}: {
  readonly page: string;
  readonly name: string;
  readonly content: string;
}): string {
  const open = `<!-- bench:${name} -->`;
  const close = `<!-- /bench:${name} -->`;
  const section = `${open}\n\n${content}\n\n${close}`;
  const from = page.indexOf(open);
  const to = page.indexOf(close);
  if (from === -1 || to < from) return `${page.trimEnd()}\n\n## ${name}\n\n${section}\n`;
  return page.slice(0, from) + section + page.slice(to + close.length);
}
