import type { LineEvent } from "../../kit/line-event.ts";
import { insist } from "../../kit/objection.ts";
import { type Moves, placeOf } from "./audit-moves.ts";
import type { Member } from "./member.ts";
import type { Step } from "./step.ts";

/** Counts joins and exits from the steps, and compares them with the line's own counters. */
export type TallyAudit = {
  /** Called before the moves are applied. */
  readonly count: (step: Step, moves: Moves, caller: Member | undefined, event: LineEvent | null) => void;
  readonly check: (step: Step) => void;
};

/** A place encodes its time, with this many per millisecond: in a larger crowd places get a later time. */
const PLACES_PER_MS = 32;

/** The wait of a silent visitor ends when the poll is overdue. */
const LATE_MS = 1_500;

export function createTallyAudit(): TallyAudit {
  const totals = { enqueued: 0, returned: 0, admitted: 0, expired: 0, left: 0, waitMs: 0 };

  let opensAtMs: number | undefined;
  let lastPlaceMs = 0;

  /** The wait for a drawn place begins at the opening. */
  function end(how: "admitted" | "expired" | "left", { arrivedMs, countsFromOpening }: Member, atMs: number): void {
    totals[how]++;
    totals.waitMs += Math.max(0, atMs - (countsFromOpening ? (opensAtMs ?? atMs) : arrivedMs));
  }

  function arrive({ call, nowMs }: Step, caller: Member): void {
    totals[call.verb === "enter" ? "enqueued" : "returned"]++;
    if (call.verb !== "enter") return;
    if (!caller.isDrawn) lastPlaceMs = Math.max(lastPlaceMs + 1 / PLACES_PER_MS, nowMs);
    Object.assign(caller, {
      arrivedMs: caller.isDrawn ? nowMs : Math.floor(lastPlaceMs),
      countsFromOpening: caller.isDrawn,
    });
  }

  return {
    count: (step, moves, caller, event) => {
      opensAtMs = event?.opensAtMs;
      for (const member of moves.skipped) end("expired", member, member.expectedMs + LATE_MS);
      if (caller !== undefined && isArrival(step, caller)) arrive(step, caller);
      for (const member of moves.admitted) end("admitted", member, member.entryMs);
      if (caller !== undefined && isGoing(step, caller)) end("left", caller, step.nowMs);
    },
    check: ({ after: { tally, waiting } }) => {
      for (const [name, total] of Object.entries(totals)) {
        insist(
          tally[name as keyof typeof totals] === total,
          `the line counted ${tally[name as keyof typeof totals]} ${name}, not ${total}`,
        );
      }
      const standing = totals.enqueued + totals.returned - totals.admitted - totals.expired - totals.left;
      insist(standing === waiting.size, "joins minus exits is not the number of waiting visitors");
    },
  };
}

function isArrival({ call, after }: Step, caller: Member): boolean {
  const isAsking = call.verb === "enter" || call.verb === "beat";
  return isAsking && caller.phase === "away" && placeOf(caller.ticketId, after).at !== "nowhere";
}

function isGoing({ call }: Step, { phase }: Member): boolean {
  return (call.verb === "leave" || call.verb === "end") && phase === "waiting";
}
