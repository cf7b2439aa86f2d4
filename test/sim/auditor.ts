import { type Caller, callerBefore, checkAnswer } from "./audit-answer.ts";
import { createBucketAudit } from "./audit-buckets.ts";
import { findMoves, type Moves, placeOf } from "./audit-moves.ts";
import { checkLineOrder, checkTurns, noteOvertaking } from "./audit-order.ts";
import { createSilenceAudit } from "./audit-silence.ts";
import { createTallyAudit } from "./audit-tally.ts";
import { drawnNumber, phaseAt, settingsAt } from "./event.ts";
import { createMember, goesBefore, holdsSlot, isUsedUp, type Member } from "./member.ts";
import { insist } from "./objection.ts";
import type { LineSettings } from "./settings.ts";
import { isTurnedAway, type Step } from "./step.ts";

/**
 * Judges every step of the line by the promises alone (G1 to G5), with a model of its own: it shares no code with the
 * scripts. Throws an `Objection` at the first step that breaks one.
 */
export type Auditor = {
  readonly configure: (settings: LineSettings) => void;
  readonly observe: (step: Step) => void;
  readonly member: (ticketId: string) => Member | undefined;
  readonly admissions: () => number;
};

/** How late a poll may be, on top of a quarter of the interval it was told. */
const LATE_MS = 1_500;
const LATE_SHARE_MS_MAX = 5_000;
/** One call may do less than there is to do, but never less than this. */
const PROMOTIONS_PER_CALL_MIN = 64;
const PASSED_OVER_PER_CALL_MIN = 128;
const RETURNS_PER_CALL_MIN = 64;

type Findings = { readonly moves: Moves; readonly reservations: { readonly max: number; readonly min: number } };

export function createAuditor(startMs: number, startSettings: LineSettings): Auditor {
  const members = new Map<string, Member>();
  /** Those with something in the store. */
  const standing = new Set<Member>();
  const buckets = createBucketAudit(startMs);
  const tally = createTallyAudit();
  const silence = createSilenceAudit();
  /** As configured, and as in force at the step that is observed. */
  let configured = startSettings;
  let settings = startSettings;
  let arrivals = 0;
  /** The last draw in which somebody took a place. */
  let lastTurn = 0;
  let admissions = 0;

  function observe(step: Step): void {
    settings = settingsAt(configured, step.nowMs);
    const caller = memberOf(step);
    const before = caller && callerBefore(caller, step.nowMs);
    const waitedBefore = [...standing].filter(({ phase }) => phase === "waiting").length;
    const isSettling = settles(step, caller);
    if (isSettling) silence.hear(step, standing);
    if (isSettling) buckets.look(step.nowMs, settings, step.after.accountMs === step.nowMs);
    const reservations = buckets.reservations(settings, step.nowMs);
    const moves = findMoves(involved(step, caller), { step, settings, isForgiven: (ms) => silence.isForgiven(ms, step.nowMs) });
    checkCounts(step, { moves, reservations });
    checkTurns(lineWith(step, caller), { moves, step });
    tally.count(step, moves, caller, configured.event);
    apply(step, { moves, caller });
    checkLineOrder(step, members);
    if (caller !== undefined && before !== undefined) checkOutcome(caller, { step, before, waitedBefore });
    if (isSettling) checkNothingOwed(step, { moves, reservations });
    tally.check(step);
  }

  function memberOf({ call }: Step): Member | undefined {
    if (call.verb === "sweep") return undefined;
    const known = members.get(call.ticketId);
    if (known !== undefined) return known;
    const member = createMember({ ticketId: call.ticketId, lane: call.verb === "enter" ? call.lane : 0 });
    members.set(call.ticketId, member);
    return member;
  }

  function involved({ after }: Step, caller: Member | undefined): Set<Member> {
    const all = new Set(standing);
    if (caller !== undefined) all.add(caller);
    for (const ticketId of [...after.waiting.keys(), ...after.active.keys()]) {
      const member = members.get(ticketId);
      insist(member !== undefined, `${ticketId} stands in the store and never joined`);
      all.add(member);
    }
    return all;
  }

  /** Who could have been promoted in this step: those in the line, and the caller if it asks for a place. */
  function lineWith({ call, outcome, nowMs }: Step, caller: Member | undefined): Member[] {
    const isGoing = call.verb === "leave" || call.verb === "end";
    const line = [...standing].filter((member) => member.phase === "waiting" && !(isGoing && member === caller));
    const isAsking = (call.verb === "enter" || call.verb === "beat") && caller !== undefined && !isTurnedAway(outcome);
    if (isAsking && !isUsedUp(caller) && !holdsSlot(caller, nowMs) && caller.phase !== "waiting") {
      // A first join, or one whose ticket never arrived, comes behind everybody of its lane.
      if (call.verb === "enter") Object.assign(caller, turnOf(caller, nowMs), { positionMax: Number.POSITIVE_INFINITY });
      line.push(caller);
    }
    return line;
  }

  /** Before the opening of a draw a place is drawn; after it, and without one, places are taken in turn. */
  function turnOf({ ticketId }: Member, nowMs: number): Pick<Member, "turn" | "arrival" | "isDrawn"> {
    const { event } = configured;
    if (event === null || event.order === "fifo" || phaseAt(configured, nowMs) !== "prequeue")
      return { turn: lastTurn === 0 ? 0 : lastTurn + 1, arrival: ++arrivals, isDrawn: false };
    lastTurn = event.drawSpan;
    return { turn: event.drawSpan, arrival: drawnNumber(ticketId), isDrawn: true };
  }

  /** G1, G2, and that nobody moves up in a line that stands still. */
  function checkCounts({ nowMs, after }: Step, { moves, reservations }: Findings): void {
    const live = [...after.active.values()].filter((untilMs) => untilMs > nowMs).length;
    if (moves.promoted.length > 0) insist(live <= settings.maxActive, `G1: ${live} slots are held where ${settings.maxActive} may be`);
    if (isStandingStill()) insist(moves.promoted.length + moves.admitted.length === 0, "somebody went in while the line was paused");
    // Those who drew the same number are called together.
    const reserved = after.ready.size + moves.admitted.length - countTies(moves.promoted);
    const called = [...standing].filter(({ phase }) => phase === "ready");
    const isAhead = moves.promoted.some((member) => !called.some((other) => goesBefore(member, { ...other, ticketId: "~" })));
    if (isAhead) insist(reserved <= reservations.max, `${reserved} slots are reserved where ${reservations.max} may be`);
    for (const member of moves.admitted) buckets.admit(settings, reservedBefore(member, after));
    admissions += moves.admitted.length;
  }

  function apply(
    { nowMs, call, outcome, after }: Step,
    { moves, caller }: { readonly moves: Moves; readonly caller: Member | undefined },
  ): void {
    noteOvertaking(members.values(), moves.joined);
    for (const member of [...standing, ...(caller === undefined ? [] : [caller])]) place(member, { nowMs, after });
    if (caller === undefined) return;
    if (call.verb === "end" && caller.phase !== "ended") end(caller, call.reason);
    if (call.verb === "leave" && !isUsedUp(caller)) end(caller, "left");
    if (outcome.state !== "waiting") return;
    caller.askedForMs = nowMs + outcome.pollAfterMs;
    caller.overdueMs = caller.askedForMs + Math.min(LATE_SHARE_MS_MAX, Math.floor(outcome.pollAfterMs / 4)) + LATE_MS;
    caller.dueMs = caller.overdueMs;
    caller.claimMs = settings.claimSeconds * 1_000;
  }

  function place(member: Member, { nowMs, after }: Pick<Step, "nowMs" | "after">): void {
    const { at, untilMs } = placeOf(member.ticketId, after);
    if (at === "nowhere") standing.delete(member);
    else standing.add(member);
    if (at === "nowhere" && !isUsedUp(member)) Object.assign(member, { phase: "away", positionMax: Number.POSITIVE_INFINITY });
    // A reservation that an outage has ended cannot be given again under a lower cap: those who still have theirs go before.
    if (at === "waiting" && member.phase === "ready") member.positionMax = Number.POSITIVE_INFINITY;
    if (at !== "nowhere") member.phase = at;
    if (at !== "ready" && at !== "admitted") return;
    if (untilMs !== member.untilMs) member.grantedMs = untilMs - nowMs;
    member.untilMs = untilMs;
  }

  function checkOutcome(caller: Member, scene: { readonly step: Step; readonly before: Caller; readonly waitedBefore: number }): void {
    const { step, before } = scene;
    if (step.call.verb === "enter" || step.call.verb === "beat")
      checkAnswer(caller, { ...scene, settings, phase: phaseAt(configured, step.nowMs) });
    if (step.outcome.state === "touched") {
      const expected = before.wasUsedUp && before.heldSlot ? caller.untilMs : 0;
      insist(step.outcome.expiresAtMs === expected, `a renewal was answered with ${step.outcome.expiresAtMs}, not ${expected}`);
    }
  }

  /** G4, step by step: while there is room and right to go in, nobody who is present is left standing. */
  function checkNothingOwed({ nowMs, after, outcome, call }: Step, { moves, reservations }: Findings): void {
    const asked = call.verb === "beat" || call.verb === "enter" ? members.get(call.ticketId) : undefined;
    const mayHaveMore =
      moves.promoted.length >= PROMOTIONS_PER_CALL_MIN ||
      moves.passedOver.length >= PASSED_OVER_PER_CALL_MIN ||
      moves.returned.length >= RETURNS_PER_CALL_MIN;
    insist(mayHaveMore || !("hasMore" in outcome && outcome.hasMore), "a call left work for later and had hardly done any");
    if (mayHaveMore) return;
    const live = [...after.active.values()].filter((untilMs) => untilMs > nowMs).length;
    insist(live === after.active.size, "a slot whose time is over was not returned");
    if (isStandingStill()) return;
    if (asked?.phase === "ready") {
      insist(!buckets.owesAdmission(settings, reservedBefore(asked, after)), `G4: ${asked.ticketId} has a slot and was not let in`);
    }
    const isOwed = after.ready.size + moves.admitted.length < reservations.min;
    if (live < settings.maxActive) checkNobodyStands({ nowMs, after }, isOwed);
  }

  function checkNobodyStands({ nowMs, after }: Pick<Step, "nowMs" | "after">, isOwed: boolean): void {
    const present = [...standing].filter(({ phase, dueMs }) => phase === "waiting" && dueMs > nowMs);
    const overtaken = present.find((member) => goesBeforeReserved(member, after));
    insist(overtaken === undefined, `G3: ${overtaken?.ticketId} goes before somebody with a slot, and waits`);
    const stalled = isOwed ? present[0] : undefined;
    insist(stalled === undefined, `G4: there is room, and ${stalled?.ticketId} still waits`);
  }

  return {
    observe,
    configure: (changed) => {
      configured = changed;
    },
    member: (ticketId) => members.get(ticketId),
    admissions: () => admissions,
  };

  function isStandingStill(): boolean {
    return settings.mode === "paused" || settings.mode === "closing";
  }

  /** Who missed a turn and is back, or came in a better lane. */
  function goesBeforeReserved(member: Member, { ready }: Step["after"]): boolean {
    return [...ready.keys()].some((ticketId) => {
      const other = members.get(ticketId);
      return other !== undefined && other !== member && goesBefore(member, other);
    });
  }

  function reservedBefore(member: Member, { ready }: Step["after"]): number {
    return [...ready.keys()].filter((ticketId) => {
      const other = members.get(ticketId);
      return other !== undefined && other !== member && goesBefore(other, member);
    }).length;
  }

  function end(member: Member, reason: Member["endReason"]): void {
    member.phase = "ended";
    member.endReason = reason;
    standing.delete(member);
  }
}

/** How many share their drawn number with somebody before. */
function countTies(promoted: readonly Member[]): number {
  const isTied = (one: Member, other: Member) => one.lane === other.lane && one.turn === other.turn && one.arrival === other.arrival;
  return promoted.filter((member) => promoted.some((other) => isTied(member, other) && other.ticketId < member.ticketId)).length;
}

/** Whether the call looks at the line's accounts: not when it only repeats what is known of a used-up ticket. */
function settles({ call, outcome }: Step, caller: Member | undefined): boolean {
  if (call.verb === "sweep") return true;
  if (call.verb === "touch" || caller === undefined || isTurnedAway(outcome)) return false;
  return call.verb === "end" ? caller.phase !== "ended" : !isUsedUp(caller);
}
