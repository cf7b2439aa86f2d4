import type { Moves } from "./audit-moves.ts";
import { goesBefore, type Member } from "./member.ts";
import { insist } from "./objection.ts";
import type { Step } from "./step.ts";

/** G3: at the moment of a promotion nobody who is present stands before the ones promoted, and all of those are present. */
export function checkTurns(line: Iterable<Member>, { moves, step }: { readonly moves: Moves; readonly step: Step }): void {
  const last = lastOf(moves.promoted);
  if (last === undefined) return;
  const promoted = new Set(moves.promoted);
  const caller = step.call.verb === "enter" || step.call.verb === "beat" ? step.call.ticketId : undefined;
  const isPresent = (member: Member) => member.ticketId === caller || member.dueMs > step.nowMs;
  for (const member of promoted) insist(isPresent(member), `${member.ticketId} was promoted although the poll was overdue`);
  for (const member of line) {
    if (promoted.has(member) || !isPresent(member)) continue;
    insist(!goesBefore(member, last), `G3: ${last.ticketId} was promoted before ${member.ticketId}, who was present`);
  }
}

function lastOf(members: readonly Member[]): Member | undefined {
  return members.reduce<Member | undefined>((last, member) => (last === undefined || goesBefore(last, member) ? member : last), undefined);
}

/** The line in the store is in the order of joining, lane by lane: whoever came back has the old place. */
export function checkLineOrder({ after }: Step, members: ReadonlyMap<string, Member>): void {
  checkSorted(after.ready.keys(), members);
  checkSorted(after.waiting.keys(), members);
}

function checkSorted(ticketIds: Iterable<string>, members: ReadonlyMap<string, Member>): void {
  let previous: Member | undefined;
  for (const ticketId of ticketIds) {
    const member = members.get(ticketId);
    insist(member !== undefined, `${ticketId} stands in the line and never joined`);
    if (previous !== undefined) insist(goesBefore(previous, member), `${ticketId} stands behind ${previous.ticketId}, who came later`);
    previous = member;
  }
}

/** Whoever comes in before somebody, from a higher lane or with an earlier ticket, may cost that one a place. */
export function noteOvertaking(members: Iterable<Member>, joined: readonly Member[]): void {
  if (joined.length === 0) return;
  for (const member of joined) member.positionMax = Number.POSITIVE_INFINITY;
  for (const member of members) {
    member.positionMax += joined.filter((other) => other !== member && goesBefore(other, member)).length;
  }
}
