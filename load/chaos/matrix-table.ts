import type { CellResult } from "./cell.ts";

const OPEN = "<!-- chaos -->";
const CLOSE = "<!-- /chaos -->";
const HEAD = ["| component | fault | expected | seen | outcome |", "| --- | --- | --- | --- | --- |"];

/** Replaces the rows of these cells between the markers of the page; other rows and the rest of the page stay. */
export function withResults(page: string, results: readonly CellResult[], allNames: readonly string[]): string {
  const from = page.indexOf(OPEN);
  const to = page.indexOf(CLOSE);
  if (from === -1 || to < from) throw new Error(`the page has no ${OPEN} … ${CLOSE}`);
  const rows = new Map<string, string>();
  for (const line of page.slice(from, to).split("\n")) {
    const [component = "", fault = ""] = line.slice(2).split(" | ");
    if (allNames.includes(`${component}: ${fault}`)) rows.set(`${component}: ${fault}`, line);
  }
  for (const { cell, seen, outcome } of results) {
    const words = [cell.component, cell.fault, cell.expected, seen, outcome === "fail" ? "**fail**" : outcome];
    rows.set(cell.name, `| ${words.map(escaped).join(" | ")} |`);
  }
  const lines = allNames.flatMap((name) => rows.get(name) ?? []);
  return `${page.slice(0, from)}${OPEN}\n\n${[...HEAD, ...lines].join("\n")}\n\n${page.slice(to)}`;
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");
}
