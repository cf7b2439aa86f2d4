import type { LineLook } from "../target/line-watch.ts";

/**
 * When each visitor's turn came, pieced together from outside: looks at the line show whose turn it is, and a pass tells when it was
 * given. The order in which people walk in is not the order of their turns: whoever is called may take a moment to come.
 */
export type TurnLog = {
  /** The visitor behind a ticket becomes known with the answer to the join, perhaps after the turn has come. */
  readonly joined: (visitor: number, ticketId: string) => void;
  readonly looked: (look: LineLook) => void;
  readonly admitted: (visitor: number, atMs: number) => void;
  readonly turnAfterMs: Float64Array;
  readonly turnByMs: Float64Array;
};

const UNKNOWN = -1;

export function createTurnLog(visitors: number): TurnLog {
  const turnAfterMs = new Float64Array(visitors).fill(UNKNOWN);
  const turnByMs = new Float64Array(visitors).fill(UNKNOWN);
  const visitorOf = new Map<string, number>();
  const looks: { readonly atMs: number; readonly byMs: number }[] = [];
  /** Tickets whose turn it is and whose visitors are not known yet, with the look that showed them first. */
  let strangers = new Map<string, number>();

  function note(visitor: number, look: number): void {
    if (turnByMs[visitor] !== UNKNOWN) return;
    turnByMs[visitor] = looks[look]?.byMs ?? UNKNOWN;
    turnAfterMs[visitor] = looks[look - 1]?.atMs ?? 0;
  }

  return {
    turnAfterMs,
    turnByMs,
    joined(visitor, ticketId) {
      visitorOf.set(ticketId, visitor);
      const look = strangers.get(ticketId);
      if (look !== undefined) note(visitor, look);
    },
    looked({ atMs, byMs, ready }) {
      if (ready === undefined) return;
      const look = looks.push({ atMs, byMs }) - 1;
      const still = new Map<string, number>();
      for (const ticketId of ready) {
        const visitor = visitorOf.get(ticketId);
        if (visitor === undefined) still.set(ticketId, strangers.get(ticketId) ?? look);
        else note(visitor, look);
      }
      strangers = still;
    },
    admitted(visitor, atMs) {
      if (turnByMs[visitor] !== UNKNOWN) return;
      turnByMs[visitor] = atMs;
      // The last look that could have shown the visitor, and did not.
      let look = looks.length - 1;
      while (look >= 0 && (looks[look]?.byMs ?? 0) > atMs) look--;
      turnAfterMs[visitor] = looks[look]?.atMs ?? 0;
    },
  };
}
