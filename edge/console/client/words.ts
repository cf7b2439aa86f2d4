import type { Phase } from "../../queue/schedule.ts";
import type { Queue } from "./api.ts";

export type Mode = Queue["mode"];

/** The modes in the order of the switch, each as the button says it and as the state of the line is told. */
export const MODES: readonly { readonly mode: Mode; readonly verb: string; readonly state: string }[] = [
  { mode: "active", verb: "Run", state: "Running" },
  { mode: "paused", verb: "Pause", state: "Paused" },
  { mode: "drain", verb: "Drain", state: "Draining" },
  { mode: "open", verb: "Open", state: "Open to all" },
  { mode: "maintenance", verb: "Maintenance", state: "Maintenance" },
];

export function stateOf(mode: Mode): string {
  return MODES.find((each) => each.mode === mode)?.state ?? mode;
}

const PHASE_STATES: Readonly<Record<Phase, string | undefined>> = {
  scheduled: "Scheduled",
  prequeue: "Prequeue",
  open: undefined,
  over: "Event over",
};

/** What a queue does now. A line that runs stands all the same before its event and after it. */
export function stateNow(mode: Mode, phase: Phase): string {
  return (mode === "active" ? PHASE_STATES[phase] : undefined) ?? stateOf(mode);
}

const clockTime = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayAndTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

export function timeOfDay(atMs: number): string {
  return clockTime.format(atMs);
}

export function moment(atMs: number): string {
  return dayAndTime.format(atMs);
}

/** `admissionRate` -> "Admission rate", `sessionTtlSeconds` -> "Session TTL (seconds)". */
export function settingLabel(name: string): string {
  const words = name
    .replace(/Seconds$/, " (seconds)")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\b(id|ip|ttl|url)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const MOMENTS = /At$/;

export function settingText(name: string, value: unknown): string {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "number")
    return MOMENTS.test(name) ? moment(value) : new Intl.NumberFormat("en", { maximumFractionDigits: 3 }).format(value);
  if (name === "mode") return stateOf(value as Mode);
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.length === 0 ? "none" : value.join(", ");
  if (isPlainRecord(value)) return Object.entries(value).map(fieldText).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function fieldText([name, value]: [string, unknown]): string {
  return `${settingLabel(name).toLowerCase()} ${settingText(name, value)}`;
}

/** One level of names and plain values, as an event's own settings are. */
function isPlainRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every((each) => typeof each !== "object")
  );
}
