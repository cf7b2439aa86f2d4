import { type Phase, phaseAt, type Schedule, settingsAt } from "../../line/schedule.ts";
import { effectOf, type Flow } from "./forecast.ts";

type Settings = Schedule & { readonly eventOverrides: Readonly<Record<string, unknown>> | null };
type SetQueue = Settings & Omit<Flow, "opensInSeconds">;

/** A queue's settings as they are in force at this moment, and where its event stands. */
export type QueueNow<Queue> = Queue & { readonly phase: Phase; readonly opensInSeconds: number };

export function queueAt<Queue extends SetQueue>(queue: Queue, nowMs: number): QueueNow<Queue> {
  const phase = phaseAt(queue, nowMs);
  const stands = phase === "scheduled" || phase === "prequeue";
  return { ...settingsAt(queue, nowMs), phase, opensInSeconds: stands ? ((queue.opensAt ?? nowMs) - nowMs) / 1000 : 0 };
}

const OWN_NAMES = { admissionRate: "admission rate", maxActive: "maximum inside" } as const;
const PACE = ["admissionRate", "maxActive"] as const;

/**
 * The effect of a change on the present line. A setting that the event overrides takes effect when the event is over.
 */
export function effectNow(
  queue: SetQueue,
  change: Readonly<Record<string, unknown>>,
  nowMs: number,
): readonly string[] {
  const now = queueAt(queue, nowMs);
  const { mode, admissionRate, maxActive } = queueAt({ ...queue, ...change }, nowMs);
  const overridden = PACE.filter(
    (name) => change[name] !== undefined && change[name] !== queue[name] && isOwnOf(queue, now, name),
  );
  const names = overridden.map((name) => OWN_NAMES[name]).join(" and ");
  const later = names === "" ? [] : [`The event has its own ${names}: this takes effect when it is over.`];
  return [...effectOf(now, { mode, admissionRate, maxActive }), ...later];
}

/** Whether the value in force is the event's own. */
export function isOwnOf(queue: Settings, { phase }: { readonly phase: Phase }, name: (typeof PACE)[number]): boolean {
  return phase === "open" && queue.eventOverrides?.[name] !== undefined;
}
