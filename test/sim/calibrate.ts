import { Redis } from "ioredis";
import type { LineAnswer } from "../../edge/queue/answer.ts";
import { forecastWait } from "../../edge/queue/estimate.ts";
import { openLine } from "../../edge/queue/line.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { createAgenda } from "./agenda.ts";
import { seededRandom } from "./random.ts";
import { type PlainSettings, writeSettings } from "./settings.ts";

/** A visitor of a line whose estimates are held against what happens. */
export type Guest = {
  readonly joinsAtMs: number;
  /** Infinite for one who stays until the session ends. */
  readonly stayMs: number;
  /** From then on the visitor does not poll any more. */
  readonly silentFromMs: number;
};

type Calibration = {
  /** The part of those who entered whose wait was inside the range that they were told when they joined. */
  readonly onJoining: number;
  /** The same for what they were told in the middle of their wait. */
  readonly halfway: number;
  readonly entered: number;
  /** The part of all answers that said that nobody leaves. */
  readonly stalled: number;
};

type Told = { readonly atMs: number; readonly low: number; readonly high: number; readonly isStalled: boolean };

const START_MS = 1_750_000_000_000;
const NETWORK_MS_MAX = 100;
/** Estimates are whole seconds. */
const ROUNDING_SECONDS = 1;

let runs = 0;

/** The real scripts on a real Redis, in simulated time, and the estimate that a visitor's page shows. */
export async function calibrate(url: string, settings: PlainSettings, guests: readonly Guest[]): Promise<Calibration> {
  const queueId = `calibrate-${process.pid}-${runs++}`;
  const redis = new Redis(url);
  await writeSettings(redis, { queueId, settings });
  const random = seededRandom(guests.length);
  const agenda = createAgenda<() => Promise<void>>();
  let nowMs = 0;
  const line = openLine({
    store: scriptRunner(redis),
    queueId,
    ticketLifeMs: 3_600_000,
    random: random.next,
    simulatedNowMs: () => START_MS + nowMs,
  });
  const told = guests.map((): Told[] => []);
  const enteredMs = new Map<number, number>();

  async function react(guest: number, answer: LineAnswer): Promise<void> {
    const { silentFromMs = 0, stayMs = 0 } = guests[guest] ?? {};
    if (answer.state === "admitted") {
      nowMs += answer.holdMs;
      enteredMs.set(guest, nowMs);
      await line.touch({ sessionId: `guest-${guest}`, views: 1, how: "renew", isFirst: true });
      nowMs -= answer.holdMs;
      if (Number.isFinite(stayMs)) agenda.add(nowMs + stayMs, () => leave(guest));
    } else if (answer.state === "waiting") {
      told[guest]?.push(stated(answer));
      const pollAtMs = nowMs + answer.pollAfterMs + random.between(0, NETWORK_MS_MAX);
      const poll = async () => react(guest, await line.beat({ ticketId: `guest-${guest}`, order: answer.order }));
      if (pollAtMs < silentFromMs) agenda.add(pollAtMs, poll);
    }
  }

  function stated({ position, total, flow, latestAtMs }: Extract<LineAnswer, { state: "waiting" }>): Told {
    const latestInSeconds = latestAtMs === null ? undefined : (latestAtMs - START_MS - nowMs) / 1_000;
    const { estimate, isStalled } = forecastWait({ position, total, flow, admissionRate: settings.rate, latestInSeconds });
    return {
      atMs: nowMs,
      low: estimate.low,
      high: estimate.high,
      isStalled,
    };
  }

  async function leave(guest: number): Promise<void> {
    await line.end({ sessionId: `guest-${guest}`, reason: "completed" });
  }

  async function sweep(): Promise<void> {
    await line.sweep();
    if (enteredMs.size < guests.length && nowMs < (guests.at(-1)?.joinsAtMs ?? 0) + 3_600_000) agenda.add(nowMs + 1_000, sweep);
  }

  for (const [guest, { joinsAtMs }] of guests.entries()) {
    const join = () => line.enter({ ticketId: `guest-${guest}`, lane: 0, addressHash: "", ticketsPerIp: 0 });
    agenda.add(joinsAtMs, async () => react(guest, await join()));
  }
  agenda.add(1_000, sweep);
  for (let next = agenda.next(); next !== undefined; next = agenda.next()) {
    nowMs = next.atMs;
    await next.event();
  }
  redis.disconnect();

  const waited = [...enteredMs].filter(([guest]) => (told[guest]?.length ?? 0) > 0);
  const shareOf = (pick: (all: readonly Told[], entered: number) => Told | undefined) =>
    waited.filter(([guest, entered]) => isInside(pick(told[guest] ?? [], entered), entered)).length / waited.length;
  const all = told.flat();
  return {
    onJoining: shareOf(([first]) => first),
    halfway: shareOf((answers, entered) => answers.findLast(({ atMs }) => atMs <= ((answers[0]?.atMs ?? 0) + entered) / 2)),
    entered: waited.length,
    stalled: all.filter(({ isStalled }) => isStalled).length / all.length,
  };
}

function isInside(statement: Told | undefined, enteredMs: number): boolean {
  if (statement === undefined) return false;
  const seconds = (enteredMs - statement.atMs) / 1_000;
  return seconds >= statement.low - ROUNDING_SECONDS && seconds <= statement.high + ROUNDING_SECONDS;
}
