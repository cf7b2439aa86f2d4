import type { Random } from "../../kit/random.ts";
import type { RawAnswer } from "../http/response-reader.ts";
import type { Recorder } from "../record/recorder.ts";
import { VISITOR_ENDS } from "../record/run-record.ts";
import type { Target } from "../target/target.ts";
import { CLIENT_LATE_MS } from "../verdict/order-of-entry.ts";
import { type CrowdState, DOING } from "./crowd-state.ts";
import { type DrawnVisitors, HABITS } from "./draw-visitors.ts";
import type { PlaceClock } from "./place-clock.ts";
import { readAnswer, type Sight } from "./read-answer.ts";
import { factsOf } from "./ticket-facts.ts";
import type { TimerWheel } from "./timer-wheel.ts";
import type { VisitorRequests } from "./visitor-requests.ts";

/**
 * The life of a visitor: page, polls as told, claim, some requests inside, complete. All visitors share this code; each
 * is a row of numbers and one appointment.
 */
export type VisitorLife = {
  /** Called when the visitor's appointment is due. */
  readonly act: (visitor: number, dueMs: number) => void;
  readonly counts: LifeCounts;
};

export type LifeCounts = {
  arrived: number;
  admitted: number;
  ended: number;
  /** Ended visits of admitted visitors. */
  endedInside: number;
};

/** An admitted visitor, for a scenario that acts inside. */
export type AdmittedVisitor = {
  /** Among the visitors of this process. */
  readonly visitor: number;
  readonly url: string;
  readonly address: string;
  /** The Cookie header that carries the pass. */
  readonly cookie: string;
};

export type LifeOptions = {
  readonly target: Pick<Target, "urls">;
  readonly drawn: DrawnVisitors;
  readonly state: CrowdState;
  readonly wheel: TimerWheel;
  readonly places: PlaceClock;
  readonly texts: VisitorRequests;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly nowMs: () => number;
  /** How long an answer may have waited to be read, because the load generator was busy. */
  readonly unreadMs: () => number;
  readonly isOver: () => boolean;
  readonly send: (url: string, text: string, onAnswer: (answer: RawAnswer | undefined, sentMs: number) => void) => void;
  /** Requests of each visitor inside, without `onAdmitted`. */
  readonly requests: number;
  readonly onAdmitted: ((visitor: AdmittedVisitor) => Promise<void>) | undefined;
};

type Kind = "page" | "poll" | "request" | "complete" | "leave";
type Told = Exclude<Sight, { readonly state: "refused" }>;
type Waiting = Extract<Sight, { readonly state: "waiting" }>;
type Admitted = Extract<Sight, { readonly state: "admitted" }>;
type Asked = { readonly kind: Kind; readonly dueMs: number; readonly before: number; readonly isReload: boolean };

/** In a row; with the pauses between them that is a minute. */
const FAILURES_MAX = 30;
const RETRY_MS = 2_000;
/** Share of the poll interval: before half of it the gate answers from memory. */
const RELOAD_AT = 0.4;
const LEAVE_AT = 0.5;

export function createVisitorLife(options: LifeOptions): VisitorLife {
  const { target, drawn, state, wheel, places, texts, recorder, random, nowMs, unreadMs } = options;
  const { urls } = target;
  const counts: LifeCounts = { arrived: 0, admitted: 0, ended: 0, endedInside: 0 };

  function act(visitor: number, dueMs: number): void {
    const doing = state.doing[visitor];
    if (doing === DOING.coming) arrive(visitor, dueMs);
    ask(visitor, {
      kind: nextKind(visitor),
      dueMs,
      before: doing === DOING.coming ? DOING.waiting : (doing ?? DOING.waiting),
    });
  }

  function arrive(visitor: number, dueMs: number): void {
    state.arrivedMs[visitor] = dueMs;
    state.edge[visitor] = visitor % urls.length;
    counts.arrived++;
  }

  function nextKind(visitor: number): Kind {
    switch (state.doing[visitor]) {
      case DOING.leaving:
        return "leave";
      case DOING.inside:
        return (state.requestsLeft[visitor] ?? 0) > 0 ? "request" : "complete";
      default:
        // Without a ticket there is nothing to poll with.
        return state.reloadsNext[visitor] === 1 || state.cookie[visitor] === "" ? "page" : "poll";
    }
  }

  function ask(visitor: number, { kind, dueMs, before }: Omit<Asked, "isReload">): void {
    const asked = { kind, dueMs, before, isReload: state.reloadsNext[visitor] === 1 };
    const url = urls[state.edge[visitor] ?? 0] ?? urls[0];
    const asking = { url, address: drawn.address[visitor] ?? "", cookie: state.cookie[visitor] ?? "" };
    const text =
      kind === "poll"
        ? texts.poll(asking)
        : kind === "page" || kind === "request"
          ? texts.page(asking)
          : texts.leave(asking);
    state.doing[visitor] = DOING.asking;
    state.reloadsNext[visitor] = 0;
    options.send(url, text, (raw, sentMs) => {
      if (options.isOver()) return;
      state.sentMs[visitor] = sentMs;
      onAnswer(visitor, asked, raw);
    });
  }

  function onAnswer(visitor: number, asked: Asked, raw: RawAnswer | undefined) {
    const { kind, dueMs } = asked;
    const sight = readAnswer(raw, texts.passCookie);
    recorder.answered({
      kind: recordedKind(kind, sight),
      dueMs,
      answeredMs: nowMs(),
      answer: recordedAnswer(kind, sight),
    });
    if (raw === undefined) state.edge[visitor] = ((state.edge[visitor] ?? 0) + 1) % urls.length;
    if (sight.state === "refused") return onRefused(visitor, asked, sight);
    state.failuresInARow[visitor] = 0;
    if (kind === "leave") return end(visitor, "left");
    if (kind === "complete") return end(visitor, "completed");
    return kind === "request" ? onServed(visitor, sight) : onTurn(visitor, sight, asked);
  }

  function onRefused(
    visitor: number,
    { before }: Asked,
    { isForGood, retryAfterMs = RETRY_MS }: Extract<Sight, { state: "refused" }>,
  ) {
    const failures = (state.failuresInARow[visitor] ?? 0) + 1;
    if (isForGood) return end(visitor, "refused");
    if (failures > FAILURES_MAX) return end(visitor, "failed");
    state.failuresInARow[visitor] = failures;
    state.doing[visitor] = before;
    if (state.admittedMs[visitor] === -1) state.refusedAtMs[visitor] = nowMs();
    // Jitter, so that visitors refused together do not retry together.
    const retryMs = nowMs() + retryAfterMs * (0.5 + random.next());
    state.toldMs[visitor] = retryMs;
    wheel.schedule(visitor, retryMs);
  }

  /** The answer to a page or a poll. */
  function onTurn(visitor: number, sight: Told, asked: Asked) {
    switch (sight.state) {
      case "waiting":
        return onWaiting(visitor, sight, asked);
      case "early":
        state.doing[visitor] = DOING.waiting;
        return wheel.schedule(visitor, nowMs() + sight.pollAfterMs);
      case "admitted":
        return onAdmitted(visitor, sight);
      case "ended":
        return end(visitor, "refused");
      case "served":
        // No gate in between: the queue is open, or no route leads to it.
        return end(visitor, "completed");
    }
  }

  function onWaiting(visitor: number, { ticket, position, lane, pollAfterMs }: Waiting, { isReload }: Asked) {
    noteLateness(visitor, 0);
    state.toldMs[visitor] = nowMs() - unreadMs() + pollAfterMs;
    state.lane[visitor] = lane;
    const cookie = `${texts.ticketCookie}=${ticket}`;
    // A ticket carries no place while a draw keeps the places secret.
    if (cookie !== state.cookie[visitor] && position !== null) notePlace(visitor, ticket);
    state.cookie[visitor] = cookie;
    state.waitingAnswers[visitor] = Math.min(255, (state.waitingAnswers[visitor] ?? 0) + 1);
    state.doing[visitor] = DOING.waiting;
    if (showsHabit(visitor)) return followHabit(visitor, pollAfterMs);
    const reloads = drawn.retries[visitor] === 1 && !isReload;
    state.reloadsNext[visitor] = reloads ? 1 : 0;
    wheel.schedule(visitor, nowMs() + pollAfterMs * (reloads ? RELOAD_AT : 1));
  }

  function showsHabit(visitor: number): boolean {
    return state.isPatient[visitor] === 0 && (state.waitingAnswers[visitor] ?? 0) >= (drawn.patience[visitor] ?? 0);
  }

  function followHabit(visitor: number, pollAfterMs: number) {
    const habit = HABITS[drawn.habit[visitor] ?? 0];
    state.isPatient[visitor] = 1;
    if (habit === "patient") return wheel.schedule(visitor, nowMs() + pollAfterMs);
    state.wasAway[visitor] = 1;
    if (habit === "silent") return end(visitor, "silent");
    state.doing[visitor] = habit === "leaves" ? DOING.leaving : DOING.away;
    wheel.schedule(visitor, nowMs() + (habit === "leaves" ? pollAfterMs * LEAVE_AT : (drawn.awayMs[visitor] ?? 0)));
  }

  function notePlace(visitor: number, ticket: string): void {
    const order = factsOf(ticket).order ?? -1;
    if (state.joinedOrder[visitor] === -1) places.joined(order, nowMs());
    state.joinedOrder[visitor] = order;
  }

  /** Records that the answered poll was sent later than the gate expected. */
  function noteLateness(visitor: number, readLateMs: number): void {
    const told = state.toldMs[visitor] ?? -1;
    const lateMs = (told === -1 ? 0 : Math.max(0, (state.sentMs[visitor] ?? 0) - told)) + readLateMs;
    if (lateMs <= CLIENT_LATE_MS) return;
    state.lateMs[visitor] = lateMs;
    state.lateAtMs[visitor] = nowMs();
  }

  function onAdmitted(visitor: number, { pass }: Admitted) {
    noteLateness(visitor, unreadMs());
    if (state.cookie[visitor] === "") noteWalkIn(visitor);
    counts.admitted++;
    state.admittedMs[visitor] = nowMs();
    state.cookie[visitor] = `${texts.passCookie}=${pass}`;
    state.doing[visitor] = DOING.inside;
    if (options.onAdmitted === undefined) {
      state.requestsLeft[visitor] = options.requests;
      return scheduleInside(visitor);
    }
    const url = urls[state.edge[visitor] ?? 0] ?? urls[0];
    const admitted = { visitor, url, address: drawn.address[visitor] ?? "", cookie: state.cookie[visitor] ?? "" };
    const goOn = (isDone: boolean) => {
      if (options.isOver()) return;
      if (isDone) wheel.schedule(visitor, nowMs());
      else end(visitor, "failed");
    };
    options.onAdmitted(admitted).then(
      () => goOn(true),
      () => goOn(false),
    );
  }

  function noteWalkIn(visitor: number): void {
    state.walkedInMs[visitor] = state.sentMs[visitor] ?? 0;
    state.lane[visitor] = 0;
  }

  function scheduleInside(visitor: number): void {
    wheel.schedule(visitor, nowMs() + (drawn.stayMs[visitor] ?? 0) / (options.requests + 1));
  }

  /** The answer to a request inside. A pass in it is a renewal. */
  function onServed(visitor: number, sight: Told) {
    if (sight.state !== "served" && sight.state !== "admitted") return end(visitor, "failed");
    if (sight.state === "admitted") state.cookie[visitor] = `${texts.passCookie}=${sight.pass}`;
    state.requestsLeft[visitor] = (state.requestsLeft[visitor] ?? 1) - 1;
    state.doing[visitor] = DOING.inside;
    scheduleInside(visitor);
  }

  function end(visitor: number, how: (typeof VISITOR_ENDS)[number]): void {
    state.doing[visitor] = DOING.ended;
    state.end[visitor] = VISITOR_ENDS.indexOf(how);
    state.endedMs[visitor] = nowMs();
    state.cookie[visitor] = "";
    counts.ended++;
    if (state.admittedMs[visitor] !== -1) counts.endedInside++;
  }

  return { act, counts };
}

/** A poll that admits the visitor is recorded as a claim. */
function recordedKind(kind: Kind, { state }: Sight): string {
  return kind === "poll" && state === "admitted" ? "claim" : kind;
}

/** An admitted visitor who is sent back to the line has met an error, whatever the status. */
function recordedAnswer(kind: Kind, { state, label }: Sight): string {
  return kind === "request" && state === "waiting" ? "back in line" : label;
}
