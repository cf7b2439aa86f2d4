import type { LineSettings } from "../../kit/line-settings.ts";
import { insist } from "../../kit/objection.ts";
import type { EntryAudit } from "./audit-entries.ts";
import { TOLERANCE } from "./audit-entries.ts";
import type { Moves } from "./audit-moves.ts";
import { goesBefore, type Member } from "./member.ts";
import type { Step } from "./step.ts";

/** The visitors in front of the caller, and the caller's turn. */
type Turn = {
  /** Too many in front to check each. */
  readonly isFar: boolean;
  /** A visitor in front who is expected later. */
  readonly expectedLater: Member | undefined;
  /** The number of the caller's entry: late visitors in front do not count for the moment. */
  readonly number: number;
  readonly room: number;
};

type Scene = {
  readonly step: Step;
  readonly settings: LineSettings;
  readonly moves: Moves;
  readonly entries: EntryAudit;
  readonly isForgiven: (ms: number) => boolean;
};

const LOOKED_AT_MAX = 256;
const SOON_MS = 50;
const LATE_MS = 200;
/** The shortest poll interval, and the longest delay after the turn with a burst above 1. */
const ASKED_MS_MIN = 15;
const AFTER_TURN_MS_MAX = 100;

/**
 * G3, G4 and G13, poll by poll: a visitor enters exactly when no present visitor in front is expected later, and there
 * are a slot and a token for this visitor and for all in front who may be on time.
 */
export function checkTurn(caller: Member, line: Iterable<Member>, scene: Scene): void {
  const { step, settings, entries } = scene;
  const turn = turnOf(caller, line, scene);
  const entryMs = Math.max(step.nowMs, entries.entryMs(turn.number, settings, caller));
  const earlyMs = entries.entryMs(turn.number, settings, caller) - step.nowMs - entries.holdMs(turn.room, settings);
  if (step.outcome.state === "admitted") {
    const { expectedLater, number, room } = turn;
    insist(
      expectedLater === undefined,
      `G13: ${caller.ticketId} entered before ${expectedLater?.ticketId}, expected later`,
    );
    insist(!turn.isFar && number <= room, `${caller.ticketId} entered on a slot kept for others`);
    insist(earlyMs <= TOLERANCE, `${caller.ticketId} entered on a token kept for others`);
    insist(
      Math.abs(step.nowMs + step.outcome.holdMs - entryMs) <= 1 + TOLERANCE,
      `${caller.ticketId} enters at a wrong time`,
    );
    caller.entryMs = step.nowMs + step.outcome.holdMs;
    entries.take(number, settings, caller);
    return;
  }
  if (step.outcome.state !== "waiting") return;
  const mayEnter = !turn.isFar && turn.expectedLater === undefined && turn.number <= turn.room && earlyMs < -TOLERANCE;
  insist(!mayEnter, `G4: ${caller.ticketId} may enter and was not let in`);
  if (turn.number > turn.room) return;
  const dueMs = Math.max(
    turn.expectedLater === undefined ? 0 : lastExpectedMs(caller, line),
    entryMs + AFTER_TURN_MS_MAX,
  );
  const latestMs = Math.max(dueMs, step.nowMs + ASKED_MS_MIN) + 1;
  insist(step.nowMs + step.outcome.pollAfterMs <= latestMs, `${caller.ticketId} was told to poll after its turn`);
}

function turnOf(caller: Member, line: Iterable<Member>, { step, settings, moves, isForgiven }: Scene): Turn {
  const { nowMs, after, call } = step;
  const before = [...line].filter((member) => member !== caller && goesBefore(member, caller));
  const present = before.filter((member) => !moves.skipped.includes(member));
  const isLate = ({ expectedMs }: Member) => expectedMs + LATE_MS < nowMs && !isForgiven(expectedMs);
  const own = "ticketId" in call ? call.ticketId : "";
  const held = [...after.active].filter(([ticketId, untilMs]) => untilMs > nowMs && ticketId !== own).length;
  return {
    isFar: before.length >= LOOKED_AT_MAX,
    expectedLater: present.find(({ expectedMs }) => expectedMs > nowMs + SOON_MS),
    number: present.filter((member) => !isLate(member)).length + 1,
    room: settings.maxActive - held,
  };
}

function lastExpectedMs(caller: Member, line: Iterable<Member>): number {
  return Math.max(
    ...[...line]
      .filter((member) => member !== caller && goesBefore(member, caller))
      .map(({ expectedMs }) => expectedMs),
  );
}

/** The line is in the order of joins, lane by lane: a returning visitor has the old place. */
export function checkLineOrder({ after }: Step, members: ReadonlyMap<string, Member>): void {
  let previous: Member | undefined;
  for (const ticketId of after.waiting.keys()) {
    const member = members.get(ticketId);
    insist(member !== undefined, `${ticketId} is in the line and never joined`);
    if (previous !== undefined)
      insist(goesBefore(previous, member), `${ticketId} is behind ${previous.ticketId}, which joined later`);
    previous = member;
  }
}

/** A visitor who joins in front, from a higher lane or with an earlier ticket, may move others back. */
export function noteOvertaking(members: Iterable<Member>, joined: readonly Member[]): void {
  if (joined.length === 0) return;
  for (const member of joined) member.positionMax = Number.POSITIVE_INFINITY;
  for (const member of members) {
    member.positionMax += joined.filter((other) => other !== member && goesBefore(other, member)).length;
  }
}
