import { ownerOf, pairOf } from "../book/open-orders.ts";
import { NONE, wordOf } from "../book/order-slab.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import { type Condition, conditionOf, isPending, priorityOf } from "./condition.ts";
import { slotInList } from "./list.ts";
import { levelOf } from "./trailing.ts";
import { eachTrigger, isRising } from "./triggers.ts";

/** The pending orders of a pair: how many there are, and what is wrong with them. */
export function conditionFaults(
  state: EngineState,
  pair: Pair,
): { readonly count: number; readonly faults: readonly string[] } {
  const { orders } = state;
  const faults: string[] = [];
  const placed = new Set<number>();
  eachTrigger(state, pair, (slot) => placed.add(slot));
  let [count, trailing] = [0, 0];
  for (const condition of conditionsOf(state, pair)) {
    const { slot, phase } = condition;
    faults.push(...listFaults(state, condition));
    if (!isPending(condition)) continue;
    count++;
    if (condition.trailingBps > 0) trailing++;
    if ((phase !== "dormant") !== placed.has(slot))
      faults.push(`order ${orders.id[wordOf(slot)]} is ${phase}, and the triggers disagree`);
    faults.push(...nearFaults(state, pair, slot));
  }
  if (trailing !== pair.triggers.trailing) faults.push(`${pair.name} counts ${pair.triggers.trailing} trailing orders`);
  if (placed.size > count) faults.push(`the triggers of ${pair.name} have orders that are not pending`);
  return { count, faults };
}

const conditionsOf = (state: EngineState, pair: Pair) =>
  state.conditions.all.flatMap((one) => (one !== undefined && pairOf(state, one.slot) === pair ? [one] : []));

function listFaults(state: EngineState, { slot, list }: Condition): readonly string[] {
  if (list === undefined) return [];
  const id = state.orders.id[wordOf(slot)] as number;
  // A buy that its sell orders have let go is not counted any more.
  const members = list.orderIds.filter((_, place) => {
    const member = slotInList(state, list, place);
    return member !== NONE && conditionOf(state, member)?.list === list;
  });
  const isSound = members.length === list.live && members.includes(id) && list.user === ownerOf(state, slot);
  return isSound ? [] : [`the list of order ${id} has other orders`];
}

/** The two prices that trades are compared with are not beyond any trigger. */
function nearFaults(state: EngineState, pair: Pair, slot: number): readonly string[] {
  const condition = conditionOf(state, slot);
  if (condition === undefined || condition.phase === "dormant") return [];
  const side = state.orders.side[slot] as number;
  const rises = condition.phase === "tracking" ? side === 0 : isRising(condition, side);
  const ticks = condition.phase === "tracking" ? levelOf(condition, side) : (state.orders.ticks[slot] as number);
  const isMissed = rises ? pair.risingAt > ticks : pair.fallingAt < ticks;
  return isMissed ? [`the trigger with priority ${priorityOf(state, slot)} would be missed`] : [];
}
