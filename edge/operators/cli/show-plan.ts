import { isDeepStrictEqual } from "node:util";
import type { BypassRule } from "../../line/bypass-rule.ts";
import type { Route } from "../../line/route.ts";
import type { Plan, QueueChange, TableChange } from "./plan.ts";

/** The plan as a difference that one can read line by line: `+` comes, `-` goes, `~` changes. */
export function showPlan(plan: Plan): string {
  const { creations, changes, table, deletions } = plan;
  const lines = [
    ...creations.flatMap(({ queueId, settings }) => [
      `+ queue ${queueId}`,
      ...Object.entries(settings).map(([name, value]) => `    ${name}: ${text(value)}`),
    ]),
    ...changes.flatMap(showChange),
    ...(table === undefined ? [] : showTable(table)),
    ...deletions.map(
      ({ queueId, current }) => `- queue ${queueId} (${current.waiting} waiting, ${current.active} inside)`,
    ),
  ];
  return lines.length === 0 ? "No difference." : [...lines, "", summary(plan)].join("\n");
}

export function isEmpty({ creations, changes, table, deletions }: Plan): boolean {
  return creations.length + changes.length + deletions.length === 0 && table === undefined;
}

function showChange({ queueId, current, settings }: QueueChange): readonly string[] {
  const before = current.settings as Readonly<Record<string, unknown>>;
  return [
    `~ queue ${queueId}`,
    ...Object.entries(settings).map(([name, value]) => `    ${name}: ${text(before[name])} -> ${text(value)}`),
  ];
}

function showTable({ before, routes, bypass }: TableChange): readonly string[] {
  return [
    ...showList("routes", before.routes.map(routeText), routes.map(routeText)),
    ...showList("bypass", before.bypass.map(ruleText), bypass.map(ruleText)),
  ];
}

function showList(name: string, before: readonly string[], after: readonly string[]): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  const gone = before.filter((line) => !after.includes(line)).map((line) => `    - ${line}`);
  const come = after.filter((line) => !before.includes(line)).map((line) => `    + ${line}`);
  return [`~ ${name}`, ...gone, ...come, ...(gone.length + come.length === 0 ? ["    in another order"] : [])];
}

function routeText({ host, path, queueId }: Route): string {
  return `${host} ${path} -> ${queueId}`;
}

function ruleText(rule: BypassRule): string {
  return JSON.stringify(rule);
}

function text(value: unknown): string {
  return JSON.stringify(value);
}

function summary({ creations, changes, table, deletions }: Plan): string {
  const parts = [
    `${creations.length} to create`,
    `${changes.length} to change`,
    `${deletions.length} to delete`,
    ...(table === undefined ? [] : ["routes to replace"]),
  ];
  return `${parts.join(", ")}.`;
}
