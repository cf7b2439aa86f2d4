import { VISITOR_ENDS, type VisitorColumns } from "../record/run-record.ts";
import type { PlaceClock } from "./place-clock.ts";

/** The state of all visitors as one typed array per field: a waiting visitor costs no object. */
export type CrowdState = {
  readonly doing: Uint8Array;
  readonly end: Uint8Array;
  readonly arrivedMs: Float64Array;
  readonly joinedOrder: Float64Array;
  readonly lane: Int8Array;
  readonly admittedMs: Float64Array;
  readonly endedMs: Float64Array;
  readonly wasAway: Uint8Array;
  /** Carries the ticket while the visitor waits, then the pass. */
  readonly cookie: string[];
  /** Index of the edge. */
  readonly edge: Uint16Array;
  readonly failuresInARow: Uint8Array;
  readonly waitingAnswers: Uint8Array;
  readonly reloadsNext: Uint8Array;
  readonly requestsLeft: Uint16Array;
  /** Whether the visitor's habit is over. */
  readonly isPatient: Uint8Array;
  /** When the pending request was sent. */
  readonly sentMs: Float64Array;
  /** When the request was sent that was answered with a pass on arrival. */
  readonly walkedInMs: Float64Array;
  /** When the gate expects the next poll. */
  readonly toldMs: Float64Array;
  /** The last poll that was too late: by how much, and when. */
  readonly lateMs: Float64Array;
  readonly lateAtMs: Float64Array;
  /** When a request was last refused or not answered. */
  readonly refusedAtMs: Float64Array;
};

/** The state machine of a visitor. */
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
    walkedInMs: moments(),
    toldMs: moments(),
    lateMs: new Float64Array(count),
    lateAtMs: moments(),
    refusedAtMs: moments(),
  };
}

/** An earlier late or refused poll did not change when the visitor entered: the place was kept. */
const SHORTLY_BEFORE_MS = 5_000;

type ColumnOptions = { readonly places: PlaceClock; readonly endMs: number };

/** For visitors who arrived before the run ended. */
export function visitorColumns(state: CrowdState, { places, endMs }: ColumnOptions): VisitorColumns {
  const came = [...state.arrivedMs.keys()].filter((visitor) => state.arrivedMs[visitor] !== NEVER);
  const column = (values: ArrayLike<number>, round = (value: number) => value) =>
    came.map((visitor) => round(values[visitor] ?? NEVER));
  const hasWalkedIn = (visitor: number) => state.walkedInMs[visitor] !== NEVER;
  const isShortlyBefore = (atMs: number | undefined, visitor: number) => {
    const enteredMs = state.admittedMs[visitor] ?? NEVER;
    const untilMs = enteredMs === NEVER ? endMs : enteredMs;
    return atMs !== undefined && atMs !== NEVER && atMs <= untilMs && untilMs - atMs <= SHORTLY_BEFORE_MS;
  };
  const lateOf = (visitor: number) =>
    isShortlyBefore(state.lateAtMs[visitor], visitor) ? Math.round(state.lateMs[visitor] ?? 0) : 0;
  const placeOf = (visitor: number) =>
    (hasWalkedIn(visitor) ? places.earliestPlace(state.walkedInMs[visitor] ?? NEVER) : state.joinedOrder[visitor]) ??
    NEVER;
  return {
    arrivedMs: column(state.arrivedMs, Math.round),
    joinedOrder: came.map(placeOf),
    lane: column(state.lane),
    admittedMs: column(state.admittedMs, Math.round),
    endedMs: column(state.endedMs, Math.round),
    end: column(state.end),
    wasAway: came.map((visitor) => (state.wasAway[visitor] === 1 ? 1 : 0)),
    lateMs: came.map(lateOf),
    wasRefused: came.map((visitor) => (isShortlyBefore(state.refusedAtMs[visitor], visitor) ? 1 : 0)),
    walkedIn: came.map((visitor) => (hasWalkedIn(visitor) ? 1 : 0)),
  };
}
