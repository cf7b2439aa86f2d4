/** The auditor's state of one ticket, learnt from calls and answers, never from the scripts. */
export type Member = {
  readonly ticketId: string;
  readonly lane: number;
  /** Ordered by turn (draws and the times between them alternate), then by drawn number or number of the join. */
  turn: number;
  arrival: number;
  isDrawn: boolean;
  /** When the visitor joined, which starts the wait. */
  arrivedMs: number;
  countsFromOpening: boolean;
  /** `away`: known but not in the store, because skipped or refused. */
  phase: "away" | "waiting" | "admitted" | "ended";
  /** When the next poll is due. */
  expectedMs: number;
  /** When the session ends. */
  untilMs: number;
  /** When the visitor enters; may lie ahead. */
  entryMs: number;
  endReason: "completed" | "revoked" | "left";
  /** The worst position that an answer may have. */
  positionMax: number;
  /** The place of each signed ticket: a late copy of a join may have a second, worse place. */
  readonly tickets: Map<number, Standing>;
};

export type Standing = Pick<Member, "turn" | "arrival" | "isDrawn" | "arrivedMs" | "countsFromOpening">;

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
    expectedMs: 0,
    untilMs: 0,
    entryMs: 0,
    endReason: "left",
    positionMax: Number.POSITIVE_INFINITY,
    tickets: new Map(),
  };
}

/** Higher lanes first, then the earlier join or the smaller drawn number, then the smaller id. */
export function goesBefore(one: Member, other: Member): boolean {
  if (one.lane !== other.lane) return one.lane > other.lane;
  if (one.turn !== other.turn) return one.turn < other.turn;
  return one.arrival === other.arrival ? one.ticketId < other.ticketId : one.arrival < other.arrival;
}

/** A slot is held strictly before its end. */
export function holdsSlot(member: Member, nowMs: number): boolean {
  return member.phase === "admitted" && member.untilMs > nowMs;
}

export function isUsedUp(member: Member): boolean {
  return member.phase === "admitted" || member.phase === "ended";
}
