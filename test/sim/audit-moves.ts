import type { LineSettings } from "../../kit/line-settings.ts";
import { insist } from "../../kit/objection.ts";
import type { Member } from "./member.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Call, Step } from "./step.ts";

/** The visitors who changed their state in one step. */
export type Moves = {
  /** Joined the line or returned to it. */
  readonly joined: Member[];
  /** Removed from the store because they stopped polling. */
  readonly skipped: Member[];
  /** Only ever the caller. */
  readonly admitted: Member[];
  /** Sessions whose slot was returned at its end. */
  readonly returned: Member[];
};

type Place = { readonly at: "waiting" | "admitted" | "nowhere"; readonly untilMs: number };

type Scene = {
  readonly step: Step;
  readonly settings: LineSettings;
  /** Whether the store was silent at that time, so that a missing poll does not count. */
  readonly isForgiven: (ms: number) => boolean;
  readonly moves: Moves;
};

/** How late a visitor's poll must be for a poll from behind, or a sweep, to skip the visitor. */
const GONE_MS = 700;
const GONE_FOR_SWEEP_MS = 1_500;

/**
 * Compares all visitors before and after a step, and objects to every move that no call could have caused. Changes
 * nothing; the auditor applies the moves once all are accepted.
 */
export function findMoves(members: Iterable<Member>, { step, settings, isForgiven }: Omit<Scene, "moves">): Moves {
  const moves: Moves = { joined: [], skipped: [], admitted: [], returned: [] };
  checkSnapshot(step.after);
  for (const member of members)
    FROM[member.phase](member, { step, settings, isForgiven, moves, place: placeOf(member.ticketId, step.after) });
  return moves;
}

export function placeOf(ticketId: string, { waiting, active }: Snapshot): Place {
  if (waiting.has(ticketId)) return { at: "waiting", untilMs: 0 };
  const untilMs = active.get(ticketId);
  return untilMs === undefined ? { at: "nowhere", untilMs: 0 } : { at: "admitted", untilMs };
}

function checkSnapshot({ waiting, beats, active, ready }: Snapshot): void {
  insist(beats.size === waiting.size, "the line and its polls do not list the same visitors");
  for (const ticketId of waiting.keys()) {
    insist(beats.has(ticketId), `${ticketId} waits without a due poll`);
    insist(!active.has(ticketId), `${ticketId} waits and holds a slot`);
  }
  for (const ticketId of ready.keys()) insist(active.has(ticketId), `${ticketId} is ready and has no slot`);
}

type MoveTo = Scene & { readonly place: Place };

const FROM: Readonly<Record<Member["phase"], (member: Member, scene: MoveTo) => void>> = {
  away: fromOutside,
  waiting: fromWaiting,
  admitted: fromAdmitted,
  ended: (member, { place }) => insist(place.at === "nowhere", `the used ticket ${member.ticketId} returned`),
};

/** From outside: only by the visitor's own join or poll. */
function fromOutside(member: Member, { place, moves, step }: MoveTo): void {
  if (place.at === "nowhere") return;
  insist(isCalledBy(step.call, member, "enter", "beat"), `${member.ticketId} joined the line without a call`);
  if (place.at === "waiting") moves.joined.push(member);
  else moves.admitted.push(member);
}

function fromWaiting(member: Member, { place, moves, step, isForgiven }: MoveTo): void {
  if (place.at === "waiting") return;
  if (place.at === "admitted") {
    insist(isCalledBy(step.call, member, "enter", "beat"), `${member.ticketId} entered without asking`);
    moves.admitted.push(member);
    return;
  }
  if (isCalledBy(step.call, member, "leave", "end")) return;
  const goneMs = step.call.verb === "sweep" ? GONE_FOR_SWEEP_MS : GONE_MS;
  insist(member.expectedMs + goneMs <= step.nowMs, `${member.ticketId} was skipped and is not late`);
  insist(!isForgiven(member.expectedMs), `${member.ticketId} was skipped although the store was silent`);
  moves.skipped.push(member);
}

function fromAdmitted(member: Member, { place, step, settings, moves }: MoveTo): void {
  const isLive = member.untilMs > step.nowMs;
  if (place.at === "admitted" && place.untilMs === member.untilMs) return;
  if (place.at === "nowhere") {
    insist(!isLive || isCalledBy(step.call, member, "end"), `the session of ${member.ticketId} vanished`);
    if (!isLive) moves.returned.push(member);
    return;
  }
  insist(place.at === "admitted", `the used ticket ${member.ticketId} returned`);
  insist(
    isLive && isCalledBy(step.call, member, "touch"),
    `the session of ${member.ticketId} was prolonged without being in use`,
  );
  insist(
    place.untilMs === step.nowMs + settings.sessionTtlSeconds * 1_000,
    `the session of ${member.ticketId} was not renewed by its full time`,
  );
}

function isCalledBy(call: Call, member: Member, ...verbs: readonly Call["verb"][]): boolean {
  if (call.verb === "sweep") return false;
  return call.ticketId === member.ticketId && verbs.includes(call.verb);
}
