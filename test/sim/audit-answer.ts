import { firstOfDraw, type Phase } from "../../kit/line-event.ts";
import type { LineSettings } from "../../kit/line-settings.ts";
import { insist } from "../../kit/objection.ts";
import { holdsSlot, isUsedUp, type Member } from "./member.ts";
import type { Outcome, Step } from "./step.ts";

/** The caller's state before the step's moves are applied. */
export type Caller = {
  readonly wasUsedUp: boolean;
  readonly isOutside: boolean;
  readonly heldSlot: boolean;
  readonly untilMs: number;
  readonly endReason: string;
};

export function callerBefore(member: Member, nowMs: number): Caller {
  return {
    wasUsedUp: isUsedUp(member),
    isOutside: member.phase === "away",
    heldSlot: holdsSlot(member, nowMs),
    untilMs: member.untilMs,
    endReason: member.phase === "admitted" ? "expired" : member.endReason,
  };
}

type Scene = {
  readonly step: Step;
  /** In force at this step. */
  readonly settings: LineSettings;
  readonly phase: Phase;
  readonly before: Caller;
  readonly waitedBefore: number;
};

/** The answer must match the state. Called after the moves are applied, for joins and polls. */
export function checkAnswer(member: Member, scene: Scene): void {
  if (scene.before.wasUsedUp) {
    checkUsedAnswer(scene.step.outcome, scene.before);
    return;
  }
  if (member.phase !== "away") checkDoor(member, scene);
  CHECKS[member.phase](member, scene);
}

const CHECKS: Readonly<Record<Member["phase"], (member: Member, scene: Scene) => void>> = {
  away: checkRefusal,
  waiting: checkWaiting,
  admitted: checkAdmitted,
  ended: () => insist(false, "a join or a poll ended a ticket"),
};

/** A join takes a place only when that is allowed. A poll takes none: it returns to one. */
function checkDoor({ ticketId }: Member, { step: { call, outcome }, settings, phase, before }: Scene): void {
  const isIn = outcome.state === "waiting" || outcome.state === "admitted";
  if (call.verb !== "enter" || !before.isOutside || !isIn) return;
  insist(phase !== "scheduled" && phase !== "over", `${ticketId} took a place outside the event's time`);
  insist(
    settings.mode !== "drain" && settings.mode !== "closing",
    `${ticketId} took a place in a line that takes no new visitors`,
  );
}

/** G5: a repeated call for a used ticket gets the same answer and counts nothing. */
function checkUsedAnswer(outcome: Outcome, { heldSlot, untilMs, endReason }: Caller): void {
  if (heldSlot) {
    insist(
      outcome.state === "admitted" && !outcome.isNew && outcome.expiresAtMs === untilMs,
      "a repeated claim was answered differently",
    );
  } else {
    insist(
      outcome.state === "ended" && outcome.reason === endReason,
      `a used ticket was answered with ${outcome.state}, not ${endReason}`,
    );
  }
}

const UNCLAIMED_MS_MIN = 10_000;

/** How long a new session is held until its pass is used. */
function unclaimedMs({ claimSeconds, sessionTtlSeconds }: Scene["settings"]): number {
  return Math.min(sessionTtlSeconds * 1_000, Math.max(claimSeconds * 1_000, UNCLAIMED_MS_MIN));
}

function checkAdmitted(member: Member, { step, settings }: Scene): void {
  const { outcome, nowMs } = step;
  insist(
    outcome.state === "admitted" && outcome.isNew,
    `${member.ticketId} holds a session that its answer does not have`,
  );
  insist(outcome.expiresAtMs === member.untilMs, `${member.ticketId} got another end than its slot has`);
  insist(
    member.untilMs === nowMs + outcome.holdMs + unclaimedMs(settings),
    `the session of ${member.ticketId} is not held for the claim window`,
  );
}

function checkWaiting(member: Member, { step: { outcome, after }, settings, phase }: Scene): void {
  insist(outcome.state === "waiting", `${member.ticketId} waits and got ${outcome.state}`);
  const line = [...after.waiting.keys()];
  const position = line.indexOf(member.ticketId) + 1;
  const order = after.waiting.get(member.ticketId);
  const opensAtMs = phase === "scheduled" || phase === "prequeue" ? (settings.event?.opensAtMs ?? null) : null;
  insist(outcome.opensAtMs === opensAtMs, `${member.ticketId} got a wrong opening`);
  insist(outcome.total === line.length, `${member.ticketId} got a wrong number of visitors`);
  if (opensAtMs !== null && member.isDrawn && member.turn === settings.event?.drawSpan) {
    insist(outcome.position === null, `${member.ticketId} got the place before the opening`);
    insist(
      outcome.order === firstOfDraw(order ?? 0),
      `the ticket of ${member.ticketId} reveals its draw before the opening`,
    );
    return;
  }
  insist(outcome.position === position, `${member.ticketId} got a wrong position`);
  insist(outcome.order === order, `the ticket of ${member.ticketId} carries another place than the store`);
  insist(
    position <= member.positionMax,
    `the position of ${member.ticketId} got worse: ${position}, was ${member.positionMax}`,
  );
  member.positionMax = position;
}

function checkRefusal(_member: Member, { step, settings, phase, waitedBefore }: Scene): void {
  const { outcome, call } = step;
  insist(call.verb === "enter", "a poll removed its visitor");
  if (outcome.state === "draw_changed") {
    insist(
      phase === "prequeue" && call.drawSpan !== settings.event?.drawSpan,
      "a number of the current draw was not accepted",
    );
    return;
  }
  insist(outcome.state === "scheduled" || outcome.state === "refused", `a join was answered with ${outcome.state}`);
  insist((outcome.state === "scheduled") === (phase === "scheduled"), "a join got a wrong phase");
  if (outcome.state === "scheduled") return;
  if (outcome.reason === "over") insist(phase === "over", "the answer says that the event is over, and it is not");
  else if (outcome.reason === "closed")
    insist(
      settings.mode === "drain" || settings.mode === "closing",
      "the answer says that the line is closed, and it is open",
    );
  else
    insist(
      outcome.reason === "full" && waitedBefore >= settings.maxQueueSize,
      "the answer says that the line is full, and it is not",
    );
}
