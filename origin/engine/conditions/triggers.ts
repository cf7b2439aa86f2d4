import { createLadder, firstOrder, firstOrderFrom, type Ladder, nextLevel, restOrder, takeOut } from "../book/book.ts";
import { BUY, NONE, SELL, wordOf } from "../book/order-slab.ts";
import { touch } from "../change-log.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import type { OrderType } from "../terms.ts";
import { type Condition, conditionOf, priorityOf } from "./condition.ts";
import { track, trackedAt } from "./trailing.ts";
import { nextPlace } from "./work-queue.ts";

/**
 * The orders of a pair that wait for its last price. Those of one direction are in a ladder by their trigger price, the
 * nearest first, so that a trade which triggers none costs two comparisons. Triggers that were reached form a wave, and
 * stay in the ladder until they run: so reaching costs the same for one and for a hundred thousand.
 */
export type Triggers = {
  /** Triggered by a price that is as high, or higher: the lowest first. */
  readonly rising: Ladder;
  /** Triggered by a price that is as low, or lower: the highest first. */
  readonly falling: Ladder;
  /** Orders that trail the price, by their id. */
  readonly tracking: number[];
  /** Prices at which something happens to one of them. */
  trackedRisingAt: number;
  trackedFallingAt: number;
  /** All trailing orders that are pending, whatever they wait for. */
  trailing: number;
};

/** Triggers that one price has reached: those between two prices that were in the ladder before a number was given. */
export type Wave = {
  readonly pair: Pair;
  readonly as: number;
  readonly isRising: boolean;
  fromTicks: number;
  toTicks: number;
  before: number;
};

export const NEVER_RISING = Number.POSITIVE_INFINITY;
export const NEVER_FALLING = 0;

export function createTriggers(): Triggers {
  return {
    rising: createLadder(SELL),
    falling: createLadder(BUY),
    tracking: [],
    trackedRisingAt: NEVER_RISING,
    trackedFallingAt: NEVER_FALLING,
    trailing: 0,
  };
}

/** The direction in which the last price has to go. A trailing order that was reached waits in that of its side. */
export function isRising({ type, phase }: { readonly type: OrderType; readonly phase: string }, side: number): boolean {
  if (phase === "reached") return side === BUY;
  return (type === "stop" || type === "stopLimit") === (side === BUY);
}

export function isReached({ isRising: rises, stopTicks, lastTicks }: Reach): boolean {
  if (lastTicks === 0) return false;
  return rises ? lastTicks >= stopTicks : lastTicks <= stopTicks;
}

type Reach = { readonly isRising: boolean; readonly stopTicks: number; readonly lastTicks: number };

/** Behind all other triggers of its price, which the slab has as the order's price. */
export function enterTriggers(state: EngineState, pair: Pair, condition: Condition): void {
  const { orders } = state;
  const { slot } = condition;
  const ladder = ladderFor(state, pair, condition);
  restOrder(ladder, orders, slot);
  refreshNearest(state, pair);
}

export function leaveTriggers(state: EngineState, pair: Pair, condition: Condition): void {
  takeOut(ladderFor(state, pair, condition), state.orders, condition.slot);
  refreshNearest(state, pair);
}

function ladderFor({ orders }: EngineState, { triggers }: Pair, condition: Condition): Ladder {
  return isRising(condition, orders.side[condition.slot] as number) ? triggers.rising : triggers.falling;
}

/** The two prices that a trade is compared with. */
function refreshNearest({ orders }: EngineState, pair: Pair): void {
  const { triggers } = pair;
  const lowest = firstOrder(triggers.rising);
  const highest = firstOrder(triggers.falling);
  pair.risingAt = Math.min(triggers.trackedRisingAt, lowest === NONE ? NEVER_RISING : (orders.ticks[lowest] as number));
  pair.fallingAt = Math.max(
    triggers.trackedFallingAt,
    highest === NONE ? NEVER_FALLING : (orders.ticks[highest] as number),
  );
}

/** After a sweep: its prices go in one direction, so the first and the last one say what it has reached. */
export function reachAfterSweep(state: EngineState, pair: Pair, firstTicks: number): void {
  const { lastTicks } = pair;
  if (isNear(pair, firstTicks)) reach(state, pair, firstTicks);
  if (lastTicks !== firstTicks && isNear(pair, lastTicks)) reach(state, pair, lastTicks);
}

const isNear = ({ risingAt, fallingAt }: Pair, ticks: number) => ticks >= risingAt || ticks <= fallingAt;

/** Also for an order that its list places behind the market: it is triggered at once. */
export function reach(state: EngineState, pair: Pair, ticks: number): void {
  track(state, pair, ticks);
  pushWave(state, { pair, isRising: true, ticks });
  pushWave(state, { pair, isRising: false, ticks });
  refreshTracked(state, pair);
}

export function refreshTracked(state: EngineState, pair: Pair): void {
  Object.assign(pair.triggers, trackedAt(state, pair));
  refreshNearest(state, pair);
}

type Reached = { readonly pair: Pair; readonly isRising: boolean; readonly ticks: number };

/**
 * No wave for triggers that wait in one already, however often the price comes back: a cascade would leave a wave behind
 * each of its trades. One that continues the last piece of work is added to it, which keeps the order: the nearer price
 * first. Neither if a number was given in between: it may be a trigger's, which must not run with those that were
 * reached before it came.
 */
function pushWave(state: EngineState, { pair, isRising: rises, ticks }: Reached): void {
  const { triggers } = pair;
  const nearest = firstOrder(rises ? triggers.rising : triggers.falling);
  if (nearest === NONE) return;
  const fromTicks = state.orders.ticks[nearest] as number;
  if (isBeyond(rises, fromTicks, ticks)) return;
  const last = pair.waves.findLast((wave) => wave.isRising === rises);
  const isOfAll = last !== undefined && last.before === state.nextOrderId;
  if (isOfAll && !isBeyond(rises, ticks, last.toTicks)) return;
  if (isOfAll && last === state.work.at(-1)) last.toTicks = ticks;
  else {
    const wave = { pair, as: nextPlace(state), isRising: rises, fromTicks, toTicks: ticks, before: state.nextOrderId };
    pair.waves.push(wave);
    state.work.push(wave);
  }
  touch(state.log.pairs, pair);
}

/** The number of an order that enters the book now. It is no trigger's: a wave of all triggers so far remains one. */
export function nextInBook(state: EngineState, pair: Pair): number {
  const number = state.nextOrderId++;
  for (let place = pair.waves.length - 1; pair.waves[place]?.before === number; place--) {
    (pair.waves[place] as Wave).before = state.nextOrderId;
    touch(state.log.pairs, pair);
  }
  return number;
}

const isBeyond = (rises: boolean, ticks: number, than: number) => (rises ? ticks > than : ticks < than);

/** The slot of the next order of a wave, or `NONE` when all have run. */
export function nextOfWave(state: EngineState, wave: Wave): number {
  const { orders } = state;
  const ladder = wave.isRising ? wave.pair.triggers.rising : wave.pair.triggers.falling;
  let slot = firstOrderFrom(ladder, wave.fromTicks);
  // Within a price, those that entered later are behind.
  while (slot !== NONE && priorityOf(state, slot) >= wave.before) slot = nextLevel(ladder, { orders, slot });
  if (slot === NONE || isBeyond(wave.isRising, orders.ticks[slot] as number, wave.toTicks)) return NONE;
  if (wave.fromTicks !== orders.ticks[slot]) {
    wave.fromTicks = orders.ticks[slot] as number;
    touch(state.log.pairs, wave.pair);
  }
  return slot;
}

/** Every order in the triggers of a pair, for checks. */
export function eachTrigger(state: EngineState, { triggers }: Pair, visit: (slot: number) => void): void {
  for (const ladder of [triggers.rising, triggers.falling]) {
    for (
      let level = firstOrder(ladder);
      level !== NONE;
      level = nextLevel(ladder, { orders: state.orders, slot: level })
    )
      for (let slot = level; slot !== NONE; slot = state.orders.younger[slot] as number) visit(slot);
  }
  for (const orderSlot of triggers.tracking) visit(orderSlot);
}

export const orderIdAt = ({ orders }: EngineState, slot: number): number => orders.id[wordOf(slot)] as number;

export function conditionAt(state: EngineState, slot: number): Condition {
  return conditionOf(state, slot) as Condition;
}
