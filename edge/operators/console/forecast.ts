import { forecastWait } from "../queue/estimate.ts";

/**
 * What a change of a queue's settings will do to the people in it, in numbers and in words. Shown before the change is made.
 * Pure, and an estimate: it knows the line as it stands now, not who will come.
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

/** How long until those who wait now are in, if nobody else comes. Undefined: never, as things stand. */
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
  const line = { position: now.waiting, total: now.waiting, flow, admissionRate, opensInSeconds: now.opensInSeconds ?? 0 };
  const { estimate, isStalled } = forecastWait(line);
  // With a slot for some of them and nobody leaving, the others never enter.
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

/** One sentence for each thing that an operator should know before he says yes. */
export function effectOf(now: Flow, change: FlowChange): readonly string[] {
  const sentences = change.mode === undefined || change.mode === now.mode ? [] : [effectOfMode(now, change)];
  const { maxActive = now.maxActive, admissionRate = now.admissionRate } = change;
  if (sentences.length === 0 && (maxActive !== now.maxActive || admissionRate !== now.admissionRate))
    sentences.push(effectOfPace(now, { maxActive, admissionRate }));
  if (maxActive < now.maxActive && now.active > maxActive)
    sentences.push(
      `${people(now.active)} inside now. Nobody is sent away, and nobody new comes in until fewer than ${count(maxActive)} are left.`,
    );
  if (admissionRate > now.admissionRate && maxActive === now.maxActive && isCapped(now))
    sentences.push(
      `All ${count(now.maxActive)} slots are taken, so people come in only as others leave: a higher admission rate alone changes little.`,
    );
  return sentences;
}

function effectOfMode(now: Flow, change: FlowChange): string {
  const line = now.waiting === 0 ? "Nobody is waiting." : `The ${count(now.waiting)} waiting`;
  const isEmpty = now.waiting === 0;
  switch (change.mode) {
    case "paused":
      return isEmpty
        ? `${line} Whoever comes waits until you let them in.`
        : `${line} keep their places, and nobody goes in until you run the line again.`;
    case "drain":
      return isEmpty
        ? `${line} Newcomers are turned away.`
        : `${line} still go in, ${within(clearsInSeconds(now, change))}. Newcomers are turned away.`;
    case "maintenance":
      return `Everybody outside sees the maintenance page instead of the line. ${isEmpty ? line : `${line} keep their places while their pages stay open.`}`;
    case "open":
      return isEmpty
        ? `${line} Everybody who comes goes straight in, past the maximum inside of ${count(now.maxActive)}.`
        : `${line} and everybody after them go in at once, past the maximum inside of ${count(now.maxActive)}.`;
    default:
      return isEmpty
        ? `${line} Whoever comes goes in at ${perSecond(change.admissionRate ?? now.admissionRate)}.`
        : `${line} go in, ${within(clearsInSeconds(now, change))}.`;
  }
}

function effectOfPace(now: Flow, change: Required<Pick<FlowChange, "maxActive" | "admissionRate">>): string {
  const subject =
    change.admissionRate === now.admissionRate ? `With ${count(change.maxActive)} inside` : `At ${perSecond(change.admissionRate)}`;
  if (now.waiting === 0) return `Nobody is waiting. ${subject} a line of 1,000 would clear in ${duration(1_000 / change.admissionRate)}.`;
  const [before, after] = [clearsInSeconds(now), clearsInSeconds(now, change)].map(durationOrNever);
  const line = `${subject} the ${count(now.waiting)} waiting`;
  if (after === NEVER) return `${line} do not move, because the line stands still.`;
  if (before === after) return `${line} clear in ${after}, as before.`;
  return before === NEVER ? `${line} clear in ${after}.` : `${line} clear in ${after} instead of ${before}.`;
}

function within(seconds: number | undefined): string {
  return seconds === undefined ? "but nobody is leaving to make room" : `in ${duration(seconds)}`;
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
