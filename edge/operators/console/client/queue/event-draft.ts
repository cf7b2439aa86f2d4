import { checkSchedule } from "../../../../line/schedule.ts";
import type { Queue } from "../api.ts";
import { settingLabel } from "../words.ts";
import type { Change } from "./confirm-change.tsx";

type Overrides = NonNullable<Queue["eventOverrides"]>;

export const ORDERS = [
  ["fifo", "First come, first served"],
  ["random", "Random"],
  ["lottery", "Lottery that visitors can check"],
] as const;

/** As in the form: texts, and empty for none. */
export type EventDraft = Readonly<
  Record<"prequeueOpensAt" | "opensAt" | "closesAt" | "order" | "rate" | "cap" | "sessionSeconds", string>
>;

export function eventDraftOf({ prequeueOpensAt, opensAt, closesAt, order, eventOverrides }: Queue): EventDraft {
  return {
    prequeueOpensAt: localText(prequeueOpensAt),
    opensAt: localText(opensAt),
    closesAt: localText(closesAt),
    order,
    rate: textOf(eventOverrides?.admissionRate),
    cap: textOf(eventOverrides?.maxActive),
    sessionSeconds: textOf(eventOverrides?.sessionTtlSeconds),
  };
}

/** The draft's changes to the queue. */
export function eventChangeOf(queue: Queue, draft: EventDraft): Change {
  const before = eventDraftOf(queue);
  const moments = MOMENTS.filter((name) => draft[name] !== before[name]);
  const hasNewOverrides = (["rate", "cap", "sessionSeconds"] as const).some((name) => draft[name] !== before[name]);
  return {
    ...Object.fromEntries(moments.map((name) => [name, momentOf(draft[name])])),
    ...(draft.order !== before.order && { order: draft.order }),
    ...(hasNewOverrides && { eventOverrides: overridesOf(queue, draft) }),
  };
}

const MOMENTS = ["prequeueOpensAt", "opensAt", "closesAt"] as const;

export type EventFaults = Partial<Readonly<Record<(typeof MOMENTS)[number] | "order" | "eventOverrides", string>>>;

/** The faults of the draft, by field: those that the edge would refuse, and a new time in the past. */
export function eventFaults(queue: Queue, draft: EventDraft, nowMs: number): EventFaults {
  const change = eventChangeOf(queue, draft);
  const after = { ...queue, ...change };
  const isOver = (name: (typeof MOMENTS)[number]) => name in change && (after[name] ?? nowMs) < nowMs;
  const past = MOMENTS.filter(isOver).map((name) => [name, "This time is in the past."] as const);
  const refused = checkSchedule(after).map(({ field, message }) => [field, sentenceOf(message)] as const);
  return Object.fromEntries([...refused.toReversed(), ...past]);
}

/** "must be before opensAt" in the words of the form. */
function sentenceOf(message: string): string {
  const named = message.replaceAll(/prequeueOpensAt|opensAt/g, (name) => `“${settingLabel(name)}”`);
  return `${named.charAt(0).toUpperCase()}${named.slice(1)}.`;
}

/** A burst that was set by other means stays: the form does not show it. */
function overridesOf({ eventOverrides }: Queue, { rate, cap, sessionSeconds }: EventDraft): Overrides | null {
  const overrides: Overrides = {
    ...(eventOverrides?.admissionBurst !== undefined && { admissionBurst: eventOverrides.admissionBurst }),
    ...(rate !== "" && { admissionRate: Number(rate) }),
    ...(cap !== "" && { maxActive: Number(cap) }),
    ...(sessionSeconds !== "" && { sessionTtlSeconds: Number(sessionSeconds) }),
  };
  return Object.keys(overrides).length === 0 ? null : overrides;
}

/** The value of a `datetime-local` field: local time without a zone. */
function localText(atMs: number | null): string {
  if (atMs === null) return "";
  const at = new Date(atMs);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

export function momentOf(text: string): number | null {
  const atMs = text === "" ? Number.NaN : new Date(text).getTime();
  return Number.isNaN(atMs) ? null : atMs;
}

function textOf(value: number | undefined): string {
  return value === undefined ? "" : String(value);
}
