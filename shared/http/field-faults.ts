import type { z } from "zod";
import "../issue-sentences.ts";

/** `field` is a path into the body, or the name of a parameter; `message` never repeats the value. */
export type FieldFault = { readonly field: string; readonly message: string };

/** Enough to repair a body at once; a body full of faults is not echoed back. */
const FAULTS_MAX = 50;
const FIELD_CHARS_MAX = 100;

/** One fault per field: the first one is enough. */
export function fieldFaults(error: z.ZodError): readonly FieldFault[] {
  const firsts = new Map<string, FieldFault>();
  for (const fault of error.issues.flatMap(faultsOf)) {
    if (!firsts.has(fault.field)) firsts.set(fault.field, fault);
  }
  return [...firsts.values()].slice(0, FAULTS_MAX);
}

function faultsOf(issue: z.core.$ZodIssue): readonly FieldFault[] {
  if (issue.code !== "unrecognized_keys") return [{ field: fieldName(issue.path), message: issue.message }];
  return issue.keys
    .slice(0, FAULTS_MAX)
    .map((key) => ({ field: fieldName([...issue.path, key]), message: "is not known" }));
}

function fieldName(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "body" : path.map(String).join(".").slice(0, FIELD_CHARS_MAX);
}
