import { drawnNumber, phaseAt, settingsAt } from "../../kit/line-event.ts";
import type { LineSettings } from "../../kit/line-settings.ts";
import { insist } from "../../kit/objection.ts";
import { type Caller, callerBefore, checkAnswer } from "./audit-answer.ts";
import { createEntryAudit } from "./audit-entries.ts";
import { findMoves, type Moves, placeOf } from "./audit-moves.ts";
import { checkLineOrder, checkTurn, noteOvertaking } from "./audit-order.ts";
import { createSilenceAudit } from "./audit-silence.ts";
import { createTallyAudit } from "./audit-tally.ts";
import { createMember, goesBefore, isUsedUp, type Member } from "./member.ts";
import { isTurnedAway, type Step } from "./step.ts";

/**
 * Checks every step of the line against the promises (G1 to G5) with its own model: it shares no code with the scripts.
 * Throws an `Objection` at the first step that breaks one.
 */
export type Auditor = {
  readonly configure: (settings: LineSettings) => void;
  readonly observe: (step: Step) => void;
  readonly member: (ticketId: string) => Member | undefined;
  readonly admissions: () => number;
};

/** The least work of one call that leaves some for later. */
const RETURNS_PER_CALL_MIN = 64;
const SKIPPED_PER_CALL_MIN = 4;

export function createAuditor(startMs: number, startSettings: LineSettings): Auditor {
  const members = new Map<string, Member>();
  /** Members with an entry in the store. */
  const standing = new Set<Member>();
  const entries = createEntryAudit(startMs);
  const tally = createTallyAudit();
  const silence = createSilenceAudit();
  /** As configured, and as in force at the observed step. */
  let configured = startSettings;
  let settings = startSettings;
  let arrivals = 0;
  /** The last draw with a taken place. */
  let lastTurn = 0;
  let admissions = 0;

  function observe(step: Step): void {
    settings = settingsAt(configured, step.nowMs);
    const caller = memberOf(step);
    if (caller !== undefined) showTicket(step, caller);
    const before = caller && callerBefore(caller, step.nowMs);
    const waitedBefore = [...standing].filter(({ phase }) => phase === "waiting").length;
    const isSettling = settles(step, caller);
    if (isSettling) silence.noteCall(step, standing);
    if (isSettling) entries.look(step.nowMs, settings, step.after.accountMs === step.nowMs);
    const moves = findMoves(involved(step, caller), {
      step,
      settings,
      isForgiven: (ms) => silence.isForgiven(ms, step.nowMs),
    });
    checkCounts(step, moves);
    if (isSettling && caller !== undefined) judgeTurn(step, { moves, caller });
    tally.count(step, moves, caller, configured.event);
    apply(step, { moves, caller });
    checkLineOrder(step, members);
    if (caller !== undefined && before !== undefined) checkOutcome(caller, { step, before, waitedBefore });
    if (isSettling) checkCleanedUp(step, moves);
    tally.check(step);
  }

  function judgeTurn(step: Step, { moves, caller }: { readonly moves: Moves; readonly caller: Member }): void {
    if (step.call.verb !== "enter" && step.call.verb !== "beat") return;
    const line = lineWith(step, caller);
    const isForgiven = (ms: number) => silence.isForgiven(ms, step.nowMs);
    if (!isStandingStill()) checkTurn(caller, line, { step, settings, moves, entries, isForgiven });
  }

  function memberOf({ call }: Step): Member | undefined {
    if (call.verb === "sweep") return undefined;
    const known = members.get(call.ticketId);
    if (known !== undefined) return known;
    const member = createMember({ ticketId: call.ticketId, lane: call.verb === "enter" ? call.lane : 0 });
    members.set(call.ticketId, member);
    return member;
  }

  /** A poll takes the place of its ticket; of two places the better one is kept. */
  function showTicket({ call }: Step, caller: Member): void {
    const shown = call.verb === "beat" ? caller.tickets.get(call.order) : undefined;
    if (shown === undefined || isUsedUp(caller)) return;
    if (caller.phase === "waiting" && !goesBefore({ ...caller, ...shown, ticketId: "" }, caller)) return;
    Object.assign(caller, shown);
  }

  function involved({ after }: Step, caller: Member | undefined): Set<Member> {
    const all = new Set(standing);
    if (caller !== undefined) all.add(caller);
    for (const ticketId of [...after.waiting.keys(), ...after.active.keys()]) {
      const member = members.get(ticketId);
      insist(member !== undefined, `${ticketId} is in the store and never joined`);
      all.add(member);
    }
    return all;
  }

  /** The line before the step, and the caller. */
  function lineWith({ call, nowMs }: Step, caller: Member): Member[] {
    const line = [...standing].filter((member) => member.phase === "waiting");
    if (caller.phase !== "waiting" && !isUsedUp(caller)) {
      // A first join, or one whose ticket was lost, goes to the end of its lane.
      if (call.verb === "enter")
        Object.assign(caller, turnOf(caller, nowMs), { positionMax: Number.POSITIVE_INFINITY });
      line.push(caller);
    }
    return line;
  }

  /** Before the opening of a draw places are drawn; otherwise they are taken in order. */
  function turnOf({ ticketId }: Member, nowMs: number): Pick<Member, "turn" | "arrival" | "isDrawn"> {
    const { event } = configured;
    if (event === null || event.order === "fifo" || phaseAt(configured, nowMs) !== "prequeue")
      return { turn: lastTurn === 0 ? 0 : lastTurn + 1, arrival: ++arrivals, isDrawn: false };
    lastTurn = event.drawSpan;
    return { turn: event.drawSpan, arrival: drawnNumber(ticketId), isDrawn: true };
  }

  /** G1, and no entry while the line is paused. */
  function checkCounts({ nowMs, after }: Step, { admitted }: Moves): void {
    const live = [...after.active.values()].filter((untilMs) => untilMs > nowMs).length;
    if (admitted.length > 0)
      insist(live <= settings.maxActive, `G1: ${live} slots are held where ${settings.maxActive} may be`);
    if (isStandingStill()) insist(admitted.length === 0, "a visitor entered while the line was paused");
    admissions += admitted.length;
  }

  function apply(
    { nowMs, call, outcome, after }: Step,
    { moves, caller }: { readonly moves: Moves; readonly caller: Member | undefined },
  ): void {
    noteOvertaking(members.values(), moves.joined);
    for (const member of [...standing, ...(caller === undefined ? [] : [caller])]) place(member, after);
    if (caller === undefined) return;
    if (call.verb === "end" && caller.phase !== "ended") end(caller, call.reason);
    if (call.verb === "leave" && !isUsedUp(caller)) end(caller, "left");
    if (outcome.state !== "waiting") return;
    caller.expectedMs = nowMs + outcome.pollAfterMs;
    const { turn, arrival, isDrawn, arrivedMs, countsFromOpening } = caller;
    caller.tickets.set(outcome.order, { turn, arrival, isDrawn, arrivedMs, countsFromOpening });
  }

  function place(member: Member, after: Step["after"]): void {
    const { at, untilMs } = placeOf(member.ticketId, after);
    if (at === "nowhere") standing.delete(member);
    else standing.add(member);
    if (at === "nowhere" && !isUsedUp(member))
      Object.assign(member, { phase: "away", positionMax: Number.POSITIVE_INFINITY });
    if (at !== "nowhere") member.phase = at;
    if (at === "admitted") member.untilMs = untilMs;
  }

  function checkOutcome(
    caller: Member,
    scene: { readonly step: Step; readonly before: Caller; readonly waitedBefore: number },
  ): void {
    const { step, before } = scene;
    if (step.call.verb === "enter" || step.call.verb === "beat")
      checkAnswer(caller, { ...scene, settings, phase: phaseAt(configured, step.nowMs) });
    if (step.outcome.state === "touched") {
      const expected = before.wasUsedUp && before.heldSlot ? caller.untilMs : 0;
      insist(
        step.outcome.expiresAtMs === expected,
        `a renewal was answered with ${step.outcome.expiresAtMs}, not ${expected}`,
      );
    }
  }

  /** A call does all pending work, or says that a sweep should follow. */
  function checkCleanedUp({ nowMs, after, outcome }: Step, { returned, skipped }: Moves): void {
    const mayHaveMore = returned.length >= RETURNS_PER_CALL_MIN || skipped.length >= SKIPPED_PER_CALL_MIN;
    insist(mayHaveMore || !("hasMore" in outcome && outcome.hasMore), "a call left work for later and did too little");
    if (returned.length >= RETURNS_PER_CALL_MIN) return;
    const live = [...after.active.values()].filter((untilMs) => untilMs > nowMs).length;
    insist(live === after.active.size, "an expired slot was not returned");
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

  function end(member: Member, reason: Member["endReason"]): void {
    member.phase = "ended";
    member.endReason = reason;
    standing.delete(member);
  }
}

/** Whether the call reads the line's accounts: not for a used ticket. */
function settles({ call, outcome }: Step, caller: Member | undefined): boolean {
  if (call.verb === "sweep") return true;
  if (call.verb === "touch" || caller === undefined || isTurnedAway(outcome)) return false;
  return call.verb === "end" ? caller.phase !== "ended" : !isUsedUp(caller);
}
