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
import { compareTimers, firstTimer, firstTimeUpTo, setTimer, type Timer, timersUpTo } from "./timers.ts";
import { startTracking } from "./trailing.ts";
import { conditionAt, leaveTriggers, nextOfWave, type Wave } from "./triggers.ts";
import { unqueueList } from "./work-queue.ts";

/**
 * Does the work that is due at the engine's time, then the work that is left over. Each piece is small and none calls another, so
 * that a cascade of triggers is a loop; the number of orders met, cancelled and triggered is bounded per command.
 */
export function runDue(state: EngineState): void {
  while (state.workLeft > 0 && isDue(state)) {
    const timer = firstTimer(state.timers);
    if (timer === undefined || isHeldUp(state, timer)) break;
    runTimer(state, timer);
  }
  if (state.workLeft > 0 && isDue(state)) runOthers(state);
  runWork(state);
}

export function isDue({ timers, at }: EngineState): boolean {
  const timer = firstTimer(timers);
  return timer !== undefined && timer.dueAt <= at;
}

/** The first timer is held up: those after it that are due and can run, in one pass over the timers that are due. */
function runOthers(state: EngineState): void {
  const canRun = (timer: Timer) => !isHeldUp(state, timer);
  const due = timersUpTo(state.timers, { upTo: state.at, canRun });
  for (const timer of [...due].sort(compareTimers)) {
    if (state.workLeft <= 0) return;
    // One that ran before may have ended its order.
    if (timer.place !== -1 && canRun(timer)) runTimer(state, timer);
  }
}

/** While an auction of its pair allows no cancellation, an expiry waits, and so does a user's switch for all of them. */
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

/**
 * When the next command is needed: 0 for at once, infinity for never. A timer that an auction holds up needs none before
 * the auction does: a tick could do nothing about it.
 */
export function nextDueAt(state: EngineState, upTo: number): number {
  if (state.work.some(isRunnable)) return 0;
  const timerAt = firstTimeUpTo(state.timers, { upTo, canRun: (timer) => !isHeldUp(state, timer) });
  return state.pairs.all.reduce((soonest, pair) => Math.min(soonest, opensAt(pair)), timerAt);
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
