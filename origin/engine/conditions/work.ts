import { isUncrossing } from "../auction/auction.ts";
import { withdrawalFault } from "../auction/enter-auction.ts";
import { leavePlace, pairOf } from "../book/open-orders.ts";
import { findSlot, NONE } from "../book/order-slab.ts";
import { cancelOldest } from "../cancel.ts";
import { touch, touchOrder } from "../change-log.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import { cancelWithList } from "./end-list.ts";
import type { List } from "./list.ts";
import { runList } from "./run-list.ts";
import { runOrder, takeReserve } from "./run-order.ts";
import { firstTimer, isBefore, setTimer, type Timer } from "./timers.ts";
import { startTracking } from "./trailing.ts";
import { conditionAt, leaveTriggers, nextOfWave, type Wave } from "./triggers.ts";
import { unqueueList } from "./work-queue.ts";

/**
 * What is due at the engine's time, then the work that is left over. Each piece is small and none calls another, so
 * that a cascade of triggers is a loop; the number of orders met, cancelled and triggered is bounded per command.
 */
export function runDue(state: EngineState): void {
  for (let timer = nextTimer(state); timer !== undefined && state.workLeft > 0; timer = nextTimer(state))
    runTimer(state, timer);
  runWork(state);
}

export function isDue({ timers, at }: EngineState): boolean {
  const timer = firstTimer(timers);
  return timer !== undefined && timer.dueAt <= at;
}

/**
 * The first timer that is due and can run: while an auction of the pair allows no cancellation, an expiry waits. Then,
 * which is rare, all timers are looked at.
 */
function nextTimer(state: EngineState): Timer | undefined {
  if (!isDue(state)) return undefined;
  const first = firstTimer(state.timers);
  if (first === undefined || !isHeldUp(state, first)) return first;
  const due = state.timers.filter((timer) => timer.dueAt <= state.at && !isHeldUp(state, timer));
  return due.reduce<Timer | undefined>(
    (soonest, one) => (soonest && isBefore(soonest, one) ? soonest : one),
    undefined,
  );
}

function isHeldUp(state: EngineState, { user, orderId }: Timer): boolean {
  if (user === undefined) {
    const slot = findSlot(state.index, orderId);
    return withdrawalFault(state, pairOf(state, slot)) !== undefined;
  }
  const occupied = state.pairs.all.filter((pair) => (user.oldestOpen[pair.index] ?? NONE) !== NONE);
  return occupied.length > 0 && occupied.every((pair) => withdrawalFault(state, pair) !== undefined);
}

export function runWork(state: EngineState): void {
  while (runNext(state));
}

/** When the next command is needed: 0 for at once, infinity for never. */
export function nextDueAt(state: EngineState): number {
  if (state.work.some(isRunnable)) return 0;
  return state.pairs.all.reduce((soonest, pair) => Math.min(soonest, opensAt(pair)), nextTimerAt(state));
}

/** A timer that an auction holds up needs no command before the auction does: a tick could do nothing about it. */
function nextTimerAt(state: EngineState): number {
  const first = firstTimer(state.timers);
  if (first === undefined) return Number.POSITIVE_INFINITY;
  if (!isHeldUp(state, first)) return first.dueAt;
  const free = state.timers.filter((timer) => !isHeldUp(state, timer));
  return free.reduce((soonest, { dueAt }) => Math.min(soonest, dueAt), Number.POSITIVE_INFINITY);
}

/** When the auction of a pair needs a command. */
function opensAt({ terms, auction }: Pair): number {
  if (isUncrossing(auction)) return 0;
  return terms.state === "auction" && terms.opensAt !== 0 ? terms.opensAt : Number.POSITIVE_INFINITY;
}

const isRunnable = ({ pair }: Wave | List) => pair.terms.state === "trading";

function runTimer(state: EngineState, timer: Timer): void {
  const { user } = timer;
  if (user === undefined) {
    state.workLeft -= cancelWithList(state, { slot: findSlot(state.index, timer.orderId), reason: "expired" }).length;
    return;
  }
  const { orders, hasMore } = cancelOldest(state, {
    user,
    pairs: state.pairs.sorted.filter((pair) => withdrawalFault(state, pair) === undefined),
    max: state.workLeft,
    reason: "cancelAfter",
  });
  state.workLeft -= Math.max(1, orders.length);
  if (hasMore || user.openOrders > 0) return;
  setTimer(state.timers, timer, 0);
  touch(state.log.users, user);
}

/** The first piece whose pair is trading; false if there is none. A halted pair keeps its work until it trades again. */
function runNext(state: EngineState): boolean {
  const next = state.work.find(isRunnable);
  if (next === undefined) return false;
  const slot = "before" in next ? nextOfWave(state, next) : NONE;
  if ("before" in next && slot === NONE) {
    endWave(state, next);
    return true;
  }
  if (state.workLeft <= 0) return false;
  state.workLeft--;
  if ("before" in next) trigger(state, slot);
  else {
    unqueueList(state, next);
    runList(state, next);
  }
  return true;
}

/** Nothing of it is left to run. */
function endWave(state: EngineState, wave: Wave): void {
  wave.pair.waves.splice(wave.pair.waves.indexOf(wave), 1);
  state.work.splice(state.work.indexOf(wave), 1);
  touch(state.log.pairs, wave.pair);
}

function trigger(state: EngineState, slot: number): void {
  const condition = conditionAt(state, slot);
  const pair = pairOf(state, slot);
  if (condition.trailingBps > 0 && condition.phase === "waiting") {
    leaveTriggers(state, pair, condition);
    startTracking(state, pair, condition);
    touchOrder(state, slot);
    return;
  }
  leavePlace(state, slot);
  condition.triggeredAt = state.at;
  runOrder(state, condition, takeReserve(state, condition));
}
