import { forecastWait } from "../../line/estimate.ts";

/**
 * The effect of a change of a queue's settings on its visitors, as numbers and texts. Shown before the change is made.
 * Pure, and an estimate: it knows the present line, not future arrivals.
 */
export type Flow = {
  readonly mode: "active" | "paused" | "drain" | "maintenance" | "open";
  readonly waiting: number;
  readonly active: number;
  readonly maxActive: number;
  readonly admissionRate: number;
  /** Measured; 0 while nothing is known. */
  readonly admissionsPerSecond: number;
  /** Before an event: how long until the line begins to move. */
  readonly opensInSeconds?: number;
};

export type FlowChange = Partial<Pick<Flow, "mode" | "maxActive" | "admissionRate">>;

/** How long until all waiting visitors are in, if no others come. Undefined: never, with the present settings. */
export function clearsInSeconds(now: Flow, change: FlowChange = {}): number | undefined {
  const { mode, maxActive, admissionRate } = { ...now, ...change };
  if (now.waiting === 0 || mode === "open") return 0;
  if (mode === "paused" || mode === "maintenance") return undefined;
  // Unless the cap is what holds the line now, those inside are taken to leave as fast as others come.
  const freeSlots = isCapped(now) ? Math.max(0, maxActive - now.active) : now.waiting;
  const freedPerSecond = leavingPerSecond(now, maxActive);
  const flow = {
    admissionsPerSecond: now.admissionsPerSecond,
    freedPerSecond,
    presentShare: 1,
    stillMs: 0,
    freeSlots,
    takenSlots: maxActive,
  };
  const line = {
    position: now.waiting,
    total: now.waiting,
    flow,
    admissionRate,
    opensInSeconds: now.opensInSeconds ?? 0,
  };
  const { estimate, isStalled } = forecastWait(line);
  // With slots for only some of them and no session ending, the others never enter.
  const isStuck = freeSlots < now.waiting && freedPerSecond === 0;
  return isStalled || isStuck ? undefined : estimate.likely;
}

/** At the cap as many come in as leave, so what is measured is how fast they leave; with more inside, more leave. */
function leavingPerSecond({ admissionsPerSecond, maxActive }: Flow, newMaxActive: number): number {
  return admissionsPerSecond * (newMaxActive / maxActive);
}

function isCapped({ waiting, active, maxActive }: Flow): boolean {
  return waiting > 0 && active >= maxActive;
}

/** One sentence for each thing that an operator should know before confirming. */
export function effectOf(now: Flow, change: FlowChange): readonly string[] {
  const sentences = change.mode === undefined || change.mode === now.mode ? [] : [effectOfMode(now, change)];
  const { maxActive = now.maxActive, admissionRate = now.admissionRate } = change;
  if (sentences.length === 0 && (maxActive !== now.maxActive || admissionRate !== now.admissionRate))
    sentences.push(effectOfPace(now, { maxActive, admissionRate }));
  if (maxActive < now.maxActive && now.active > maxActive)
    sentences.push(
      `${people(now.active)} inside now. They all stay, and no one else enters until fewer than ${count(maxActive)} are left.`,
    );
  if (admissionRate > now.admissionRate && maxActive === now.maxActive && isCapped(now))
    sentences.push(
      `All ${count(now.maxActive)} slots are taken, so visitors enter only as others leave: a higher admission rate changes little.`,
    );
  return sentences;
}

function effectOfMode(now: Flow, change: FlowChange): string {
  const line = now.waiting === 0 ? "No one is waiting." : `The ${count(now.waiting)} waiting`;
  const isEmpty = now.waiting === 0;
  switch (change.mode) {
    case "paused":
      return isEmpty
        ? `${line} New visitors wait until you run the line again.`
        : `${line} keep their places. The line does not move until you run it again.`;
    case "drain":
      return isEmpty
        ? `${line} Newcomers are turned away.`
        : `${line} still go in, ${within(clearsInSeconds(now, change))}. Newcomers are turned away.`;
    case "maintenance":
      return `All visitors outside see the maintenance page instead of the line. ${isEmpty ? line : `${line} keep their places while their pages stay open.`}`;
    case "open":
      return isEmpty
        ? `${line} New visitors enter at once, past the maximum inside of ${count(now.maxActive)}.`
        : `${line} and all new visitors enter at once, past the maximum inside of ${count(now.maxActive)}.`;
    default:
      return isEmpty
        ? `${line} New visitors enter at ${perSecond(change.admissionRate ?? now.admissionRate)}.`
        : `${line} go in, ${within(clearsInSeconds(now, change))}.`;
  }
}

function effectOfPace(now: Flow, change: Required<Pick<FlowChange, "maxActive" | "admissionRate">>): string {
  const subject =
    change.admissionRate === now.admissionRate
      ? `With ${count(change.maxActive)} inside`
      : `At ${perSecond(change.admissionRate)}`;
  if (now.waiting === 0)
    return `No one is waiting. ${subject} a line of 1,000 would clear in ${duration(1_000 / change.admissionRate)}.`;
  const [before, after] = [clearsInSeconds(now), clearsInSeconds(now, change)].map(durationOrNever);
  const line = `${subject} the ${count(now.waiting)} waiting`;
  if (after === NEVER) return `${line} do not move, because the line stands still.`;
  if (before === after) return `${line} clear in ${after}, as before.`;
  return before === NEVER ? `${line} clear in ${after}.` : `${line} clear in ${after} instead of ${before}.`;
}

function within(seconds: number | undefined): string {
  return seconds === undefined ? "but no one is leaving to make room" : `in ${duration(seconds)}`;
}

const NEVER = "never";

function durationOrNever(seconds: number | undefined): string {
  return seconds === undefined ? NEVER : duration(seconds);
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "about 2 min": as exact as an estimate deserves. */
export function duration(seconds: number): string {
  if (seconds < 1) return "no time";
  if (seconds < 1.5 * MINUTE) return `about ${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 1.5 * HOUR) return `about ${Math.round(seconds / MINUTE)} min`;
  if (seconds < 2 * DAY) return `about ${oneDecimal(seconds / HOUR)} h`;
  return `about ${count(Math.round(seconds / DAY))} days`;
}

export function perSecond(rate: number): string {
  return `${new Intl.NumberFormat("en", { maximumFractionDigits: 3 }).format(rate)}/s`;
}

export function count(value: number): string {
  return new Intl.NumberFormat("en").format(value);
}

function people(value: number): string {
  return value === 1 ? "1 person is" : `${count(value)} people are`;
}

function oneDecimal(value: number): string {
  return new Intl.NumberFormat("en", { maximumFractionDigits: 1 }).format(value);
}
