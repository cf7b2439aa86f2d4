import type { Member } from "./member.ts";
import { insist } from "./objection.ts";
import type { LineSettings } from "./settings.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Call, Step } from "./step.ts";

/** Everybody who changed places in one step. */
export type Moves = {
  /** Came (back) from outside: into the line, or straight to a reservation. */
  readonly joined: Member[];
  /** Were given a slot. */
  readonly promoted: Member[];
  /** Left the store because their poll was overdue. */
  readonly passedOver: Member[];
  readonly admitted: Member[];
  /** Those whose slot returned because its time was over: reservations and sessions. */
  readonly returned: Member[];
};

type Place = { readonly at: "waiting" | "ready" | "admitted" | "nowhere"; readonly untilMs: number };

type Scene = {
  readonly step: Step;
  readonly settings: LineSettings;
  /** Whether nobody could be heard at that moment, so that it counts against nobody. */
  readonly isForgiven: (ms: number) => boolean;
  readonly moves: Moves;
};

/**
 * Compares where everybody stood with where they stand now, and objects to every move that no call could have caused.
 * Changes nothing; the auditor applies the moves once all of them are found lawful.
 */
export function findMoves(members: Iterable<Member>, { step, settings, isForgiven }: Omit<Scene, "moves">): Moves {
  const moves: Moves = { joined: [], promoted: [], passedOver: [], admitted: [], returned: [] };
  checkSnapshot(step.after);
  for (const member of members) findMove(member, { step, settings, isForgiven, moves });
  return moves;
}

export function placeOf(ticketId: string, { waiting, ready, active }: Snapshot): Place {
  if (waiting.has(ticketId)) return { at: "waiting", untilMs: 0 };
  const untilMs = active.get(ticketId);
  if (untilMs === undefined) return { at: "nowhere", untilMs: 0 };
  return { at: ready.has(ticketId) ? "ready" : "admitted", untilMs };
}

function checkSnapshot({ waiting, beats, active, ready }: Snapshot): void {
  insist(beats.size === waiting.size, "the line and its polls do not list the same people");
  for (const ticketId of waiting.keys()) {
    insist(beats.has(ticketId), `${ticketId} waits without a poll that can be overdue`);
    insist(!active.has(ticketId), `${ticketId} waits and holds a slot`);
  }
  for (const ticketId of ready.keys()) insist(active.has(ticketId), `${ticketId} has a reservation but no slot`);
}

function findMove(member: Member, scene: Scene): void {
  const place = placeOf(member.ticketId, scene.step.after);
  FROM[member.phase](member, { ...scene, place });
}

type MoveTo = Scene & { readonly place: Place };

const FROM: Readonly<Record<Member["phase"], (member: Member, scene: MoveTo) => void>> = {
  away: fromOutside,
  waiting: fromWaiting,
  ready: fromReady,
  admitted: fromAdmitted,
  ended: (member, { place }) => insist(place.at === "nowhere", `the used-up ticket ${member.ticketId} came back`),
};

function fromWaiting(member: Member, scene: MoveTo): void {
  const { place, moves, step } = scene;
  if (place.at === "ready" || place.at === "admitted") promote(member, scene);
  if (place.at !== "nowhere" || isCalledBy(step.call, member, "leave", "end")) return;
  insist(member.dueMs <= step.nowMs, `${member.ticketId} was passed over although the next poll was not overdue`);
  moves.passedOver.push(member);
}

function fromReady(member: Member, scene: MoveTo): void {
  const { place, moves, step, settings, isForgiven } = scene;
  const isLive = member.untilMs > step.nowMs;
  if (place.at === "nowhere" && isCalledBy(step.call, member, "leave", "end")) return;
  if (place.at === "ready" && place.untilMs === member.untilMs) return;
  if (!isLive && isForgiven(member.untilMs) && !isCalledBy(step.call, member, "enter", "beat", "leave", "end")) {
    insist(place.at !== "nowhere", `${member.ticketId} lost a place because nobody could be heard`);
    if (place.at !== "waiting") promote(member, scene);
    return;
  }
  if (!isLive) {
    const wasShortened = member.grantedMs < member.claimMs;
    insist(
      wasShortened || member.askedForMs <= member.untilMs,
      `the reservation of ${member.ticketId} lapsed before the poll it was asked for`,
    );
    moves.returned.push(member);
    fromOutside(member, scene);
    return;
  }
  insist(isCalledBy(step.call, member, "enter", "beat"), `the reservation of ${member.ticketId} changed before it lapsed`);
  if (place.at === "admitted") moves.admitted.push(member);
  else
    insist(place.at === "ready" && isWithinClaimWindow(place, { step, settings }), `${member.ticketId} holds a slot past the claim window`);
}

function fromAdmitted(member: Member, { place, step, settings, moves }: MoveTo): void {
  const isLive = member.untilMs > step.nowMs;
  if (place.at === "admitted" && place.untilMs === member.untilMs) return;
  if (place.at === "nowhere") {
    insist(!isLive || isCalledBy(step.call, member, "end"), `the session of ${member.ticketId} vanished`);
    if (!isLive) moves.returned.push(member);
    return;
  }
  insist(place.at === "admitted", `the used-up ticket ${member.ticketId} came back`);
  insist(isLive && isCalledBy(step.call, member, "touch"), `the session of ${member.ticketId} was prolonged without being in use`);
  insist(
    place.untilMs === step.nowMs + settings.sessionTtlSeconds * 1_000,
    `the session of ${member.ticketId} was not renewed by its full time`,
  );
}

/** From outside: only by one's own join or poll. */
function fromOutside(member: Member, scene: MoveTo): void {
  if (scene.place.at === "nowhere") return;
  insist(isCalledBy(scene.step.call, member, "enter", "beat"), `${member.ticketId} came into the line without a call`);
  if (scene.place.at !== "admitted") scene.moves.joined.push(member);
  if (scene.place.at !== "waiting") promote(member, scene);
}

function promote(member: Member, { place, moves, step, settings }: MoveTo): void {
  moves.promoted.push(member);
  if (place.at === "ready") {
    insist(isWithinClaimWindow(place, { step, settings }), `${member.ticketId} was given a slot past the claim window`);
    const isPolling = isCalledBy(step.call, member, "enter", "beat");
    insist(isPolling || place.untilMs <= member.dueMs, `the slot of ${member.ticketId} is kept when the poll is overdue`);
    return;
  }
  insist(isCalledBy(step.call, member, "enter", "beat"), `${member.ticketId} was let in without asking`);
  moves.admitted.push(member);
}

function isWithinClaimWindow({ untilMs }: Place, { step, settings }: Pick<Scene, "step" | "settings">): boolean {
  return untilMs > step.nowMs && untilMs <= step.nowMs + settings.claimSeconds * 1_000;
}

function isCalledBy(call: Call, member: Member, ...verbs: readonly Call["verb"][]): boolean {
  if (call.verb === "sweep") return false;
  return call.ticketId === member.ticketId && verbs.includes(call.verb);
}
