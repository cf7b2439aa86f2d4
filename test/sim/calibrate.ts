import { Redis } from "ioredis";
import type { LineAnswer } from "../../edge/line/answer.ts";
import { forecastWait } from "../../edge/line/estimate.ts";
import { openLine } from "../../edge/line/line.ts";
import { createAgenda } from "../../kit/agenda.ts";
import { type PlainSettings, writeSettings } from "../../kit/line-settings.ts";
import { seededRandom } from "../../kit/random.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";

/** A visitor of a line whose estimates are compared with the real waits. */
export type Guest = {
  readonly joinsAtMs: number;
  /** Infinite for a visitor who stays until the session ends. */
  readonly stayMs: number;
  /** The visitor does not poll after this. */
  readonly silentFromMs: number;
};

type Calibration = {
  /** Share of admitted visitors whose wait was within the range given on joining. */
  readonly onJoining: number;
  /** The same for the range given in the middle of the wait. */
  readonly halfway: number;
  readonly entered: number;
  /** Share of answers that reported a stalled line. */
  readonly stalled: number;
};

type Told = { readonly atMs: number; readonly low: number; readonly high: number; readonly isStalled: boolean };

const START_MS = 1_750_000_000_000;
const NETWORK_MS_MAX = 100;
/** Estimates are whole seconds. */
const ROUNDING_SECONDS = 1;

let runs = 0;

/** The real scripts on a real Redis, in simulated time, with the estimate of the waiting page. */
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
    const { estimate, isStalled } = forecastWait({
      position,
      total,
      flow,
      admissionRate: settings.rate,
      latestInSeconds,
    });
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
    if (enteredMs.size < guests.length && nowMs < (guests.at(-1)?.joinsAtMs ?? 0) + 3_600_000)
      agenda.add(nowMs + 1_000, sweep);
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
    halfway: shareOf((answers, entered) =>
      answers.findLast(({ atMs }) => atMs <= ((answers[0]?.atMs ?? 0) + entered) / 2),
    ),
    entered: waited.length,
    stalled: all.filter(({ isStalled }) => isStalled).length / all.length,
  };
}

function isInside(statement: Told | undefined, enteredMs: number): boolean {
  if (statement === undefined) return false;
  const seconds = (enteredMs - statement.atMs) / 1_000;
  return seconds >= statement.low - ROUNDING_SECONDS && seconds <= statement.high + ROUNDING_SECONDS;
}
