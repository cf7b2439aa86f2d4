import type { Random } from "../../kit/random.ts";
import type { Outcome } from "./step.ts";
import type { World } from "./world.ts";

/** A simulated visitor who joins, waits, enters and leaves, more or less as told. */
export type Visitor = {
  readonly name: string;
  readonly lane: number;
  /** Polls as told, keeps trying, and therefore must enter. */
  readonly isPatient: boolean;
  hasBeenIn: boolean;
};

/** A ticket is valid for this long after the last poll: the edge refuses an older one. */
const GRACE_MS = 120_000;
const NETWORK_MS_MAX = 200;
const RETRY_MS_MAX = 3_000;
const LATE_COPY_MS_MAX = 900;
const PATIENT_STAY_MS_MAX = 20_000;

const WAITING_MOODS = {
  patient: 0.74,
  early: 0.06,
  "renews what is not there": 0.04,
  "silent for a while": 0.07,
  "away for too long": 0.02,
  leaves: 0.03,
  "gone without a word": 0.04,
};

const SESSION_MOODS = {
  completes: 0.4,
  "is revoked": 0.1,
  "uses it": 0.2,
  "uses it at the last moment": 0.1,
  "lets it expire": 0.2,
};

function moodOf<Mood extends string>(random: Random, moods: Readonly<Record<Mood, number>>): Mood | undefined {
  let dice = random.next();
  for (const mood in moods) {
    dice -= moods[mood];
    if (dice < 0) return mood;
  }
  return undefined;
}

type Visit = Visitor & { readonly ticketId: string; order: number };

export function sendVisitor(
  world: World,
  { visitor, atMs }: { readonly visitor: Visitor; readonly atMs: number },
): void {
  const { random, nowMs } = world;
  let tickets = 0;
  joinAgain(atMs);

  function joinAgain(joinAtMs: number): void {
    const visit: Visit = Object.assign(visitor, { ticketId: `${visitor.name}.${tickets++}`, order: 0 });
    world.at(joinAtMs, () => enter({ ...visit }));
  }

  async function enter(visit: Visit): Promise<void> {
    const drawSpan = world.settings().event?.drawSpan ?? -1;
    const join = { verb: "enter", ticketId: visit.ticketId, lane: visit.lane, drawSpan } as const;
    const outcome = await world.call(join);
    // A slow network delivers the join twice, before the first one can have been skipped.
    if (random.chance(0.3)) world.at(soon(LATE_COPY_MS_MAX), async () => void (await world.call(join)));
    // The reply is lost: the edge retries, or the browser does and gets another ticket.
    if (outcome === undefined) return random.chance(0.7) ? retry(() => enter(visit)) : joinAgain(soon(RETRY_MS_MAX));
    await react(visit, outcome);
  }

  async function poll(visit: Visit): Promise<void> {
    const outcome = await world.call({ verb: "beat", ticketId: visit.ticketId, order: visit.order });
    if (outcome === undefined) return retry(() => poll(visit));
    await react(visit, outcome);
  }

  async function react(visit: Visit, outcome: Outcome): Promise<void> {
    if (outcome.state === "waiting") return wait(Object.assign(visit, { order: outcome.order }), outcome.pollAfterMs);
    if (outcome.state === "admitted") return stay(visit, outcome.expiresAtMs);
    if (outcome.state === "draw_changed") return retry(() => enter(visit));
    if (outcome.state === "scheduled")
      return joinAgain(soon(Math.max(RETRY_MS_MAX, outcome.placesOpenAtMs - nowMs() + RETRY_MS_MAX)));
    comeAgain(outcome.state === "refused");
  }

  /** After a refusal or the end of a visit. */
  function comeAgain(isRefused: boolean): void {
    if (visitor.hasBeenIn || !(isRefused || visitor.isPatient)) return;
    if (visitor.isPatient || random.chance(0.5)) joinAgain(soon(RETRY_MS_MAX));
  }

  function wait(visit: Visit, pollAfterMs: number): void {
    const onTimeMs = nowMs() + pollAfterMs + random.between(0, NETWORK_MS_MAX);
    const pollAt = (atMs: number) => world.at(atMs, () => poll(visit));
    const mood = visitor.isPatient ? "patient" : moodOf(random, WAITING_MOODS);
    if (mood === "patient") pollAt(onTimeMs);
    else if (mood === "early") pollAt(soon(pollAfterMs));
    else if (mood === "silent for a while") pollAt(nowMs() + random.between(pollAfterMs, GRACE_MS));
    else if (mood === "away for too long") joinAgain(nowMs() + GRACE_MS + random.between(0, GRACE_MS));
    else if (mood === "renews what is not there") world.at(soon(pollAfterMs), () => touch(visit));
    else if (mood === "leaves") world.at(soon(pollAfterMs), () => leave(visit));
  }

  async function leave(visit: Visit): Promise<void> {
    const outcome = await world.call({ verb: "leave", ticketId: visit.ticketId });
    if (outcome === undefined) return retry(() => leave(visit));
    // Too late: the visitor is admitted.
    if (outcome.state === "admitted") return stay(visit, outcome.expiresAtMs);
    comeBack(visit);
  }

  function stay(visit: Visit, expiresAtMs: number): void {
    visitor.hasBeenIn = true;
    const someTimeMs = nowMs() + random.between(0, Math.max(0, expiresAtMs - nowMs()));
    const mood = visitor.isPatient ? "patient" : moodOf(random, SESSION_MOODS);
    if (mood === "patient") world.at(soon(PATIENT_STAY_MS_MAX), () => end(visit, "completed"));
    else if (mood === "completes") world.at(someTimeMs, () => end(visit, "completed"));
    else if (mood === "is revoked") world.at(someTimeMs, () => end(visit, "revoked"));
    else if (mood === "uses it") world.at(someTimeMs, () => touch(visit));
    else if (mood === "uses it at the last moment") world.at(expiresAtMs, () => touch(visit));
    else world.at(expiresAtMs, () => poll(visit));
  }

  async function touch(visit: Visit): Promise<void> {
    const outcome = await world.call({ verb: "touch", ticketId: visit.ticketId, renew: random.chance(0.8) });
    if (outcome?.state !== "touched") return retry(() => touch(visit));
    if (outcome.expiresAtMs === 0) return poll(visit);
    stay(visit, outcome.expiresAtMs);
  }

  async function end(visit: Visit, reason: "completed" | "revoked"): Promise<void> {
    const outcome = await world.call({ verb: "end", ticketId: visit.ticketId, reason });
    if (outcome === undefined) return retry(() => end(visit, reason));
    comeBack(visit);
  }

  /** With the used ticket, or with a new join. */
  function comeBack(visit: Visit): void {
    if (random.chance(0.2)) world.at(soon(RETRY_MS_MAX), () => poll(visit));
    else if (random.chance(0.1)) joinAgain(soon(GRACE_MS));
  }

  function retry(action: () => Promise<void>): void {
    world.at(soon(RETRY_MS_MAX), action);
  }

  function soon(withinMs: number): number {
    return nowMs() + random.between(0, withinMs);
  }
}
