import type { User } from "../accounts.ts";

/**
 * Timers by their time: the expiry of an order (`orderId`), or a user's dead man's switch. A binary heap in which each
 * timer knows its place, so that it can be unset; equal times are in the order of the order ids, then of the users'
 * names, so that every engine agrees.
 */
export type Timers = Timer[];

export type Timer = {
  /** In milliseconds; 0 for never. */
  dueAt: number;
  /** In the heap, or -1. */
  place: number;
  /** 0 for a user's. */
  readonly orderId: number;
  readonly user: User | undefined;
};

export function firstTimer(timers: Timers): Timer | undefined {
  return timers[0];
}

export function setTimer(timers: Timers, timer: Timer, dueAt: number): void {
  unsetTimer(timers, timer);
  timer.dueAt = dueAt;
  if (dueAt === 0) return;
  timer.place = timers.length;
  timers.push(timer);
  rise(timers, timer);
}

export function unsetTimer(timers: Timers, timer: Timer): void {
  const { place } = timer;
  if (place === -1) return;
  timer.place = -1;
  const last = timers.pop();
  if (last === undefined || last === timer) return;
  timers[place] = last;
  last.place = place;
  rise(timers, last);
  sink(timers, last);
}

/**
 * All timers up to a time that can run, in no order. A timer is never before the one above it in the heap, so only those
 * up to that time are looked at.
 */
export function timersUpTo(timers: Timers, { upTo, canRun }: Wanted): readonly Timer[] {
  const found: Timer[] = [];
  const visit = (place: number) => {
    const timer = timers[place];
    if (timer === undefined || timer.dueAt > upTo) return;
    if (canRun(timer)) found.push(timer);
    visit(2 * place + 1);
    visit(2 * place + 2);
  };
  visit(0);
  return found;
}

/** The time of the first timer that can run, if it is not after `upTo`; infinity otherwise. */
export function firstTimeUpTo(timers: Timers, { upTo, canRun }: Wanted): number {
  let soonest = Number.POSITIVE_INFINITY;
  const visit = (place: number) => {
    const timer = timers[place];
    if (timer === undefined || timer.dueAt > upTo || timer.dueAt >= soonest) return;
    if (canRun(timer)) {
      soonest = timer.dueAt;
      return;
    }
    visit(2 * place + 1);
    visit(2 * place + 2);
  };
  visit(0);
  return soonest;
}

type Wanted = { readonly upTo: number; readonly canRun: (timer: Timer) => boolean };

/** Whether it comes before another one, for sorting. */
export const compareTimers = (one: Timer, other: Timer): number => (isBefore(one, other) ? -1 : 1);

function isBefore(one: Timer, other: Timer): boolean {
  if (one.dueAt !== other.dueAt) return one.dueAt < other.dueAt;
  if (one.user === undefined || other.user === undefined)
    return one.user === other.user ? one.orderId < other.orderId : one.user === undefined;
  return one.user.name < other.user.name;
}

function rise(timers: Timers, timer: Timer): void {
  while (timer.place > 0) {
    const parent = timers[(timer.place - 1) >> 1] as Timer;
    if (!isBefore(timer, parent)) return;
    swap(timers, timer, parent);
  }
}

function sink(timers: Timers, timer: Timer): void {
  for (;;) {
    const left = timers[2 * timer.place + 1];
    const right = timers[2 * timer.place + 2];
    if (left === undefined) return;
    const child = right !== undefined && isBefore(right, left) ? right : left;
    if (!isBefore(child, timer)) return;
    swap(timers, child, timer);
  }
}

/** `lower` goes up to the place of `upper`. */
function swap(timers: Timers, lower: Timer, upper: Timer): void {
  const { place } = lower;
  lower.place = upper.place;
  upper.place = place;
  timers[lower.place] = lower;
  timers[upper.place] = upper;
}
