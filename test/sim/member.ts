/** What the auditor knows about one ticket. It learns it from calls and answers, never from the scripts. */
export type Member = {
  readonly ticketId: string;
  readonly lane: number;
  /** The number of the join, over all lanes. */
  arrival: number;
  /** `away`: known, but not in the store: passed over, lapsed or refused. */
  phase: "away" | "waiting" | "ready" | "admitted" | "ended";
  /** When the next poll was asked for, when it is overdue, and the claim window (ms) in force when it was asked for. */
  askedForMs: number;
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
    arrival: 0,
    phase: "away",
    askedForMs: 0,
    dueMs: 0,
    claimMs: 0,
    untilMs: 0,
    grantedMs: 0,
    endReason: "left",
    positionMax: Number.POSITIVE_INFINITY,
  };
}

/** Higher lanes first, then whoever joined first. */
export function goesBefore(one: Member, other: Member): boolean {
  return one.lane === other.lane ? one.arrival < other.arrival : one.lane > other.lane;
}

/** A slot is held strictly before its time is over. */
export function holdsSlot(member: Member, nowMs: number): boolean {
  return (member.phase === "ready" || member.phase === "admitted") && member.untilMs > nowMs;
}

export function isUsedUp(member: Member): boolean {
  return member.phase === "admitted" || member.phase === "ended";
}
