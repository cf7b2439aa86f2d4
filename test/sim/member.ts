/** What the auditor knows about one ticket. It learns it from calls and answers, never from the scripts. */
export type Member = {
  readonly ticketId: string;
  readonly lane: number;
  /** What comes first counts first: draws and the times between them take turns. Then what was drawn, or the number of the join. */
  turn: number;
  arrival: number;
  isDrawn: boolean;
  /** When it joined: what its wait is counted from. */
  arrivedMs: number;
  countsFromOpening: boolean;
  /** `away`: known, but not in the store: passed over, lapsed or refused. */
  phase: "away" | "waiting" | "ready" | "admitted" | "ended";
  /** When the next poll was asked for, when it is overdue, and the claim window (ms) in force when it was asked for. */
  askedForMs: number;
  overdueMs: number;
  /** Until when it counts as present: until it is overdue, or for longer after an outage. */
  dueMs: number;
  claimMs: number;
  /** When the reservation lapses or the session ends, and how long it was given. */
  untilMs: number;
  grantedMs: number;
  endReason: "completed" | "revoked" | "left";
  /** The worst position that may still be told. */
  positionMax: number;
};

export function createMember({ ticketId, lane }: { readonly ticketId: string; readonly lane: number }): Member {
  return {
    ticketId,
    lane,
    turn: 0,
    arrival: 0,
    isDrawn: false,
    arrivedMs: 0,
    countsFromOpening: false,
    phase: "away",
    askedForMs: 0,
    overdueMs: 0,
    dueMs: 0,
    claimMs: 0,
    untilMs: 0,
    grantedMs: 0,
    endReason: "left",
    positionMax: Number.POSITIVE_INFINITY,
  };
}

/** Higher lanes first, then whoever joined first, or drew the smaller number; of two who drew the same, the smaller id. */
export function goesBefore(one: Member, other: Member): boolean {
  if (one.lane !== other.lane) return one.lane > other.lane;
  if (one.turn !== other.turn) return one.turn < other.turn;
  return one.arrival === other.arrival ? one.ticketId < other.ticketId : one.arrival < other.arrival;
}

/** A slot is held strictly before its time is over. */
export function holdsSlot(member: Member, nowMs: number): boolean {
  return (member.phase === "ready" || member.phase === "admitted") && member.untilMs > nowMs;
}

export function isUsedUp(member: Member): boolean {
  return member.phase === "admitted" || member.phase === "ended";
}
