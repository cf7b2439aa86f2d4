import { rankTurns } from "../record/rank-turns.ts";
import { VISITOR_ENDS, type VisitorColumns } from "../record/run-record.ts";
import type { DrawnVisitors } from "./draw-visitors.ts";
import type { TurnLog } from "./turn-log.ts";

/** Everything about every visitor, a column for each fact: nobody who waits is an object. */
export type CrowdState = {
  readonly doing: Uint8Array;
  readonly end: Uint8Array;
  readonly arrivedMs: Float64Array;
  readonly joinedOrder: Float64Array;
  readonly lane: Int8Array;
  readonly admittedMs: Float64Array;
  readonly endedMs: Float64Array;
  readonly wasAway: Uint8Array;
  /** Of a ticket while they wait, of a pass once they are in. */
  readonly cookie: string[];
  /** Which edge they ask. */
  readonly edge: Uint16Array;
  readonly failuresInARow: Uint8Array;
  readonly waitingAnswers: Uint8Array;
  readonly reloadsNext: Uint8Array;
  readonly requestsLeft: Uint16Array;
  /** Whether the habit has shown already. */
  readonly isPatient: Uint8Array;
  /** When the request went out that is under way. */
  readonly sentMs: Float64Array;
  /** Later than that, and the gate may have thought that nobody is there. */
  readonly overdueMs: Float64Array;
};

/** What a visitor does, or waits to do. */
export const DOING = { coming: 0, asking: 1, waiting: 2, away: 3, leaving: 4, inside: 5, ended: 6 } as const;

const NEVER = -1;

export function createCrowdState(count: number): CrowdState {
  const moments = () => new Float64Array(count).fill(NEVER);
  return {
    doing: new Uint8Array(count),
    end: new Uint8Array(count).fill(VISITOR_ENDS.indexOf("underway")),
    arrivedMs: moments(),
    joinedOrder: moments(),
    lane: new Int8Array(count).fill(NEVER),
    admittedMs: moments(),
    endedMs: moments(),
    wasAway: new Uint8Array(count),
    cookie: new Array<string>(count).fill(""),
    edge: new Uint16Array(count),
    failuresInARow: new Uint8Array(count),
    waitingAnswers: new Uint8Array(count),
    reloadsNext: new Uint8Array(count),
    requestsLeft: new Uint16Array(count),
    isPatient: new Uint8Array(count),
    sentMs: moments(),
    overdueMs: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
  };
}

/** Of those who came before the run ended. */
export function visitorColumns(state: CrowdState, turns: TurnLog, { count }: DrawnVisitors): VisitorColumns {
  const came = Array.from({ length: count }, (_, visitor) => visitor).filter((visitor) => state.arrivedMs[visitor] !== NEVER);
  const column = (values: ArrayLike<number>, round = (value: number) => value) => came.map((visitor) => round(values[visitor] ?? NEVER));
  const spans = {
    joinedOrder: column(state.joinedOrder),
    turnAfterMs: column(turns.turnAfterMs),
    turnByMs: column(turns.turnByMs),
    wasAway: column(state.wasAway).map((away) => (away === 0 ? 0 : 1)),
  } as const;
  const ranks = rankTurns(spans);
  const end = column(state.end);
  const admittedMs = column(state.admittedMs, Math.round);
  const hasComeIn = (index: number) => admittedMs[index] !== NEVER || VISITOR_ENDS[end[index] ?? 0] === "underway";
  return {
    arrivedMs: column(state.arrivedMs, Math.round),
    lane: column(state.lane),
    admittedMs,
    // Who was called and never came is not counted; who was called just before the end would have come.
    admittedOrder: ranks.map((rank, index) => (hasComeIn(index) ? rank : NEVER)),
    endedMs: column(state.endedMs, Math.round),
    end,
    ...spans,
  };
}
