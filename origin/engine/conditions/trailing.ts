import { BUY } from "../book/order-slab.ts";
import { touchOrder } from "../change-log.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import type { Condition } from "./condition.ts";
import {
  conditionAt,
  enterTriggers,
  NEVER_FALLING,
  NEVER_RISING,
  orderIdAt,
  refreshTracked,
  type Triggers,
} from "./triggers.ts";

/**
 * Orders that trail the price: a sell order follows the highest price since its activation, a buy order the lowest, and
 * it is triggered when the price has come back by its distance. Each keeps its best price in its row. A price that is
 * better for all of them rewrites all of them, once per command: so their number per pair is bounded (`trailingMax`).
 */
const BPS = 10_000;

/** The price that triggers: the first that has come back by the distance or more. It can be no price at all. */
export function levelOf({ trailingBps, extremeTicks }: Distance, side: number): number {
  return side === BUY
    ? Math.ceil((extremeTicks * (BPS + trailingBps)) / BPS)
    : Math.floor((extremeTicks * (BPS - trailingBps)) / BPS);
}

type Distance = { readonly trailingBps: number; readonly extremeTicks: number };

/** From now on it trails the price. */
export function startTracking(state: EngineState, pair: Pair, condition: Condition): void {
  condition.phase = "tracking";
  condition.extremeTicks = pair.lastTicks;
  insertTracking(state, pair, condition);
}

export function insertTracking(state: EngineState, pair: Pair, { slot }: Condition): void {
  const { tracking } = pair.triggers;
  const id = orderIdAt(state, slot);
  let place = tracking.length;
  while (place > 0 && orderIdAt(state, tracking[place - 1] as number) > id) place--;
  tracking.splice(place, 0, slot);
  refreshTracked(state, pair);
}

export function stopTracking(state: EngineState, pair: Pair, { slot }: Condition): void {
  const { tracking } = pair.triggers;
  tracking.splice(tracking.indexOf(slot), 1);
  refreshTracked(state, pair);
}

/** A trade at this price: better prices are noted, and orders from which it has come back become triggers. */
export function track(state: EngineState, pair: Pair, ticks: number): void {
  const { triggers } = pair;
  if (ticks < triggers.trackedRisingAt && ticks > triggers.trackedFallingAt) return;
  const reached: Condition[] = [];
  for (const slot of triggers.tracking) {
    const condition = conditionAt(state, slot);
    const side = state.orders.side[slot] as number;
    const isBetter = side === BUY ? ticks < condition.extremeTicks : ticks > condition.extremeTicks;
    const level = levelOf(condition, side);
    if (isBetter) {
      condition.extremeTicks = ticks;
      touchOrder(state, slot);
    } else if (side === BUY ? ticks >= level : ticks <= level) reached.push(condition);
  }
  for (const condition of reached) becomeTrigger(state, pair, condition);
}

/** Its price no longer moves: it waits in the ladder for its turn. */
function becomeTrigger(state: EngineState, pair: Pair, condition: Condition): void {
  const { slot } = condition;
  pair.triggers.tracking.splice(pair.triggers.tracking.indexOf(slot), 1);
  condition.phase = "reached";
  condition.priority = state.nextOrderId++;
  state.orders.ticks[slot] = levelOf(condition, state.orders.side[slot] as number);
  touchOrder(state, slot);
  enterTriggers(state, pair, condition);
}

/** The nearest prices that improve or trigger one of them. */
export function trackedAt(
  state: EngineState,
  { triggers }: Pair,
): Pick<Triggers, "trackedRisingAt" | "trackedFallingAt"> {
  let trackedRisingAt = NEVER_RISING;
  let trackedFallingAt = NEVER_FALLING;
  for (const slot of triggers.tracking) {
    const condition = conditionAt(state, slot);
    const side = state.orders.side[slot] as number;
    const level = levelOf(condition, side);
    const [rising, falling] = side === BUY ? [level, condition.extremeTicks - 1] : [condition.extremeTicks + 1, level];
    trackedRisingAt = Math.min(trackedRisingAt, rising);
    trackedFallingAt = Math.max(trackedFallingAt, falling);
  }
  return { trackedRisingAt, trackedFallingAt };
}
