import { insist } from "../../kit/objection.ts";
import type { Outcome, Step } from "./step.ts";

/** G5: the same call again, at the same moment, has the same outcome and changes nothing. */
export function checkRepeat(first: Step, second: Step): void {
  // A call does a bounded amount of work; the second one continues it.
  if ("hasMore" in first.outcome && first.outcome.hasMore) return;
  const verb = first.call.verb;
  insist(essence(first.outcome) === essence(second.outcome), `G5: a repeated ${verb} was answered differently`);
  for (const part of ["waiting", "ready", "active"] as const) {
    insist(content(first, part) === content(second, part), `G5: a repeated ${verb} changed ${part}`);
  }
}

function content({ after }: Step, part: "waiting" | "ready" | "active"): string {
  return JSON.stringify([...after[part]].toSorted());
}

/** The outcome without the parts that may differ: the poll interval, and whether the session is new. */
function essence(outcome: Outcome): string {
  if (outcome.state === "waiting") return JSON.stringify([outcome.position, outcome.total, outcome.order]);
  if (outcome.state === "admitted") return JSON.stringify([outcome.expiresAtMs, outcome.holdMs]);
  return JSON.stringify(outcome);
}
