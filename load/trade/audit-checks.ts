import { askControl } from "../../origin/operators/ask-control.ts";
import type { Check } from "../record/run-record.ts";

const LINE = /^ {2}([✓✗]) (.+?) {2,}(.*)$/;
const FAULT = /^ {6}(.*)$/;
/** Every line of an audit must report this. */
const EXPECTED = "no fault";

/** The audit of the venue that runs on a data folder, one check per line; conservation of money comes first. */
export async function auditChecks(folder: string): Promise<readonly Check[]> {
  const answer = await askControl(folder, "/audit", { folder: "" });
  if (answer === undefined || !("said" in answer)) {
    const seen = answer !== undefined && "refused" in answer ? answer.refused : "the venue did not answer";
    return [{ name: "audit", expected: EXPECTED, seen, isMet: false }];
  }
  return readAudit(answer.said, answer.code);
}

export function readAudit(said: string, exitCode: number): readonly Check[] {
  const checks: { name: string; expected: string; seen: string; isMet: boolean }[] = [];
  for (const line of said.split("\n")) {
    const [, mark, name, facts] = LINE.exec(line) ?? [];
    if (name !== undefined && facts !== undefined)
      checks.push({ name: `audit: ${name.trim()}`, expected: EXPECTED, seen: facts, isMet: mark === "✓" });
    const last = checks.at(-1);
    const fault = FAULT.exec(line)?.[1];
    if (fault !== undefined && last !== undefined) last.seen += `; ${fault}`;
  }
  // The exit code of the audit must agree with its lines.
  if (checks.length > 0 && (exitCode === 0) === checks.every(({ isMet }) => isMet)) return checks;
  return [
    ...checks,
    { name: "audit", expected: EXPECTED, seen: said.trim(), isMet: exitCode === 0 && checks.length > 0 },
  ];
}
