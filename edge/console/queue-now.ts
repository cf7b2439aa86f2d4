import { type Phase, phaseAt, type Schedule, settingsAt } from "../queue/schedule.ts";
import { effectOf, type Flow, type FlowChange } from "./forecast.ts";

type Settings = Schedule & { readonly eventOverrides: Readonly<Record<string, unknown>> | null };
type SetQueue = Settings & Omit<Flow, "opensInSeconds">;

/** A queue's settings as they are in force at this moment, and where its event stands. */
export type QueueNow<Queue> = Queue & { readonly phase: Phase; readonly opensInSeconds: number };

export function queueAt<Queue extends SetQueue>(queue: Queue, nowMs: number): QueueNow<Queue> {
  const phase = phaseAt(queue, nowMs);
  const stands = phase === "scheduled" || phase === "prequeue";
  return { ...settingsAt(queue, nowMs), phase, opensInSeconds: stands ? ((queue.opensAt ?? nowMs) - nowMs) / 1000 : 0 };
}

const OWN_NAMES = { admissionRate: "rate", maxActive: "cap" } as const;

/** What a change will do to the line now. A setting that the event has its own of takes effect when the event is over. */
export function effectNow(queue: SetQueue, change: FlowChange, nowMs: number): readonly string[] {
  const now = queueAt(queue, nowMs);
  const overridden = (["admissionRate", "maxActive"] as const).filter((name) => change[name] !== undefined && now[name] !== queue[name]);
  const rest = Object.fromEntries(Object.entries(change).filter(([name]) => !overridden.some((each) => each === name)));
  const names = overridden.map((name) => OWN_NAMES[name]).join(" and ");
  return [...effectOf(now, rest), ...(names === "" ? [] : [`The event has its own ${names}: this takes effect when it is over.`])];
}
