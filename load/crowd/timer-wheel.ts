import { assert } from "../../shared/assert.ts";

/**
 * The next action of many visitors, with one timer and four numbers per visitor: a wheel with a linked list for each
 * slice of time. A visitor has at most one appointment; a new one replaces it.
 */
export type TimerWheel = {
  /** Never before `dueMs`, and at most a slice later if `turn` is called once per slice. */
  readonly schedule: (visitor: number, dueMs: number) => void;
  readonly cancel: (visitor: number) => void;
  /** Calls back for each visitor who is due, with the due time, however late the turn is. */
  readonly turn: (nowMs: number, onDue: (visitor: number, dueMs: number) => void) => void;
  readonly size: () => number;
};

/** The precision of poll times. */
export const SLICE_MS = 2;
/** A full turn takes sixteen seconds, and few waits are longer; later appointments stay for another turn. */
const SLICES = 8_192;
const NONE = -1;

export function createTimerWheel(visitors: number): TimerWheel {
  const first = new Int32Array(SLICES).fill(NONE);
  const next = new Int32Array(visitors).fill(NONE);
  const previous = new Int32Array(visitors).fill(NONE);
  const dueAtMs = new Float64Array(visitors).fill(Number.NaN);
  let turnedTo = 0;
  let size = 0;

  /** An appointment in the past goes to the next turn. */
  const sliceOf = (dueMs: number) => Math.max(turnedTo, Math.ceil(dueMs / SLICE_MS)) % SLICES;
  const slotOf = new Int32Array(visitors).fill(NONE);

  function cancel(visitor: number): void {
    const slot = slotOf[visitor] ?? NONE;
    if (slot === NONE) return;
    const before = previous[visitor] ?? NONE;
    const after = next[visitor] ?? NONE;
    if (before === NONE) first[slot] = after;
    else next[before] = after;
    if (after !== NONE) previous[after] = before;
    slotOf[visitor] = NONE;
    size--;
  }

  function schedule(visitor: number, dueMs: number): void {
    assert(visitor >= 0 && visitor < visitors && Number.isFinite(dueMs), "an appointment has a visitor and a time");
    cancel(visitor);
    const slot = sliceOf(dueMs);
    const head = first[slot] ?? NONE;
    dueAtMs[visitor] = dueMs;
    slotOf[visitor] = slot;
    previous[visitor] = NONE;
    next[visitor] = head;
    if (head !== NONE) previous[head] = visitor;
    first[slot] = visitor;
    size++;
  }

  function collectDue(slice: number, nowMs: number, due: number[]): void {
    for (let visitor = first[slice % SLICES] ?? NONE; visitor !== NONE; visitor = next[visitor] ?? NONE) {
      if ((dueAtMs[visitor] ?? 0) <= nowMs) due.push(visitor);
    }
  }

  function turn(nowMs: number, onDue: (visitor: number, dueMs: number) => void): void {
    const target = Math.floor(nowMs / SLICE_MS);
    const due: number[] = [];
    // After a pause longer than a full turn, visit each list once.
    for (let slice = Math.max(turnedTo, target - SLICES + 1); slice <= target; slice++) collectDue(slice, nowMs, due);
    turnedTo = target + 1;
    due.sort((one, other) => (dueAtMs[one] ?? 0) - (dueAtMs[other] ?? 0));
    for (const visitor of due) cancel(visitor);
    for (const visitor of due) onDue(visitor, dueAtMs[visitor] ?? 0);
  }

  return { schedule, cancel, turn, size: () => size };
}
