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
  /** `away`: known, but not in the store: skipped, or refused. */
  phase: "away" | "waiting" | "admitted" | "ended";
  /** When the next poll was asked for. */
  expectedMs: number;
  /** When the session ends. */
  untilMs: number;
  /** When the visitor enters; may lie ahead. */
  entryMs: number;
  endReason: "completed" | "revoked" | "left";
  /** The worst position that may still be told. */
  positionMax: number;
  /** What each ticket stands for that was signed: a late copy of a join may have got a second, worse place. */
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

/** Higher lanes first, then whoever joined first, or drew the smaller number; of two who drew the same, the smaller id. */
export function goesBefore(one: Member, other: Member): boolean {
  if (one.lane !== other.lane) return one.lane > other.lane;
  if (one.turn !== other.turn) return one.turn < other.turn;
  return one.arrival === other.arrival ? one.ticketId < other.ticketId : one.arrival < other.arrival;
}

/** A slot is held strictly before its time is over. */
export function holdsSlot(member: Member, nowMs: number): boolean {
  return member.phase === "admitted" && member.untilMs > nowMs;
}

export function isUsedUp(member: Member): boolean {
  return member.phase === "admitted" || member.phase === "ended";
}
