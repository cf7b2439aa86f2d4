import type { RunRecord } from "../record/run-record.ts";
import type { Verdict } from "../verdict/judge.ts";
import { answerRows } from "./answer-table.ts";
import { keyFigures } from "./figures.ts";
import { durationText } from "./numbers.ts";
import { runTitle, verdictSentence } from "./run-title.ts";

/** The report in Markdown, for a pull request or a chat. */
export function reportSummary(record: RunRecord, verdict: Verdict): string {
  const { target, shard, startedAt, durationMs, settings, faults } = record;
  return [
    `# ${inLine(runTitle(record))}`,
    "",
    `**${verdictSentence(verdict)}**`,
    "",
    ...table(
      ["", "promise", "expected", "seen"],
      verdict.lines.map(({ name, expected, seen, isMet }) => [isMet ? "✓" : "✗", name, expected, seen]),
    ),
    "",
    ...table(
      ["figure", "", ""],
      keyFigures(record).map(({ name, value, note }) => [name, value, note]),
    ),
    "",
    ...table(
      ["requests", "count", "answers", "p50", "p95", "p99"],
      answerRows(record).map(({ kind, count, answers, p50, p95, p99 }) => [kind, count, answers, p50, p95, p99]),
    ),
    "",
    ...(faults.length === 0
      ? []
      : [
          ...table(
            ["fault", "from", "until"],
            faults.map(({ what, atMs, untilMs }) => [what, durationText(atMs), durationText(untilMs)]),
          ),
          "",
        ]),
    `${inLine(target)}, ${new Date(startedAt).toISOString()}, ${durationText(durationMs)}, shard ${inLine(shard)}. ${inLine(record.machine ?? "")}`.trimEnd(),
    "",
    `Settings: ${Object.entries(settings)
      .map(([name, value]) => inLine(`${name} ${value}`))
      .join(", ")}.`,
    "",
  ].join("\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const row = (cells: readonly string[]) => `| ${cells.map(inLine).join(" | ")} |`;
  return [row(head), `|${head.map(() => " --- |").join("")}`, ...rows.map(row)];
}

/** Text from a target must not end a cell or start markup. */
function inLine(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/[\\`*_[\]|]/g, "\\$&")
    .replace(/\s+/g, " ");
}
