import type { AuditReport } from "./run-audit.ts";

/** The report as a table with check marks, and each fault below its line. */
export function showAudit({ lines, isClean, sequence }: AuditReport): string {
  const width = Math.max(...lines.map(({ check }) => check.length));
  const rows = lines.flatMap(({ check, facts, faults, faultCount }) => [
    `  ${faultCount === 0 ? "✓" : "✗"} ${check.padEnd(width)}  ${faultCount === 0 ? facts : `${faultCount} ${faultCount === 1 ? "fault" : "faults"}`}`,
    ...faults.map((fault) => `      ${fault}`),
    ...(faultCount > faults.length ? [`      and ${faultCount - faults.length} more`] : []),
  ]);
  const verdict = isClean
    ? `Everything agrees at journal entry ${sequence}.`
    : `Differences found at journal entry ${sequence}.`;
  return [...rows, verdict].join("\n");
}
