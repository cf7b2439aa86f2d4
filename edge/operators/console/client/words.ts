import type { Phase } from "../../../line/schedule.ts";
import type { Queue } from "./api.ts";

export type Mode = Queue["mode"];

/** The modes in the order of the switch, each as the button's label and as the state of the line. */
type ModeWords = {
  readonly mode: Mode;
  readonly verb: string;
  readonly state: string;
  /** The label of a dialog's button. */
  readonly deed: string;
  /** The action, as the beginning of a sentence. */
  readonly doing: string;
};

export const MODES: readonly ModeWords[] = [
  { mode: "active", verb: "Run", state: "Running", deed: "Run the line", doing: "Running the line" },
  { mode: "paused", verb: "Pause", state: "Paused", deed: "Pause the line", doing: "Pausing the line" },
  { mode: "drain", verb: "Drain", state: "Draining", deed: "Drain the line", doing: "Draining the line" },
  { mode: "open", verb: "Open", state: "Open to all", deed: "Admit everyone", doing: "Opening the queue to all" },
  {
    mode: "maintenance",
    verb: "Maintenance",
    state: "Maintenance",
    deed: "Show the maintenance page",
    doing: "Switching to the maintenance page",
  },
];

export function wordsOfMode(mode: Mode): ModeWords {
  return MODES.find((each) => each.mode === mode) ?? { mode, verb: mode, state: mode, deed: mode, doing: mode };
}

export function stateOf(mode: Mode): string {
  return wordsOfMode(mode).state;
}

const PHASE_STATES: Readonly<Record<Phase, string | undefined>> = {
  scheduled: "Scheduled",
  prequeue: "Prequeue",
  open: undefined,
  over: "Event over",
};

/**
 * The present state of a queue. An active line does not move before its event, after it, or while all slots are taken.
 */
export function stateNow(mode: Mode, phase: Phase, isFull: boolean): string {
  if (mode !== "active") return stateOf(mode);
  return PHASE_STATES[phase] ?? (isFull ? "Full" : stateOf(mode));
}

const clockTime = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayAndTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

export function timeOfDay(atMs: number): string {
  return clockTime.format(atMs);
}

export function moment(atMs: number): string {
  return dayAndTime.format(atMs);
}

/** Where the name of a setting is not what operators call it. */
const SETTING_LABELS: Readonly<Record<string, string>> = {
  maxActive: "Maximum inside",
  maxQueueSize: "Maximum in line",
  eventOverrides: "Event’s own settings",
  prequeueOpensAt: "Places can be taken from",
  opensAt: "The line begins to move at",
  closesAt: "The line closes at",
  sessionTtlSeconds: "Session length (seconds)",
};

/** `admissionRate` -> "Admission rate", `claimSeconds` -> "Claim (seconds)". */
export function settingLabel(name: string): string {
  const label = SETTING_LABELS[name];
  if (label !== undefined) return label;
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
  if (Array.isArray(value) && value.every((item) => typeof item === "string"))
    return value.length === 0 ? "none" : value.join(", ");
  if (isPlainRecord(value)) return Object.entries(value).map(fieldText).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function fieldText([name, value]: [string, unknown]): string {
  return `${settingLabel(name).toLowerCase()} ${settingText(name, value)}`;
}

/** One level of names and plain values, as an event's own settings are. */
function isPlainRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each !== "object")
  );
}
