import { userNamed } from "../accounts.ts";
import { enterBook, pairOf } from "../book/open-orders.ts";
import { findSlot, NONE } from "../book/order-slab.ts";
import type { ConditionRow, ListRow, OrderRow, WaveRow } from "../changes.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import { addCondition, type Condition, conditionOf, isPending } from "./condition.ts";
import type { List } from "./list.ts";
import { setTimer } from "./timers.ts";
import { insertTracking, levelOf } from "./trailing.ts";
import { enterTriggers, refreshTracked, type Wave } from "./triggers.ts";

/** Where an order is, in the book or among the triggers: if that has not changed, it stays where it is. */
export function isSamePlace(state: EngineState, slot: number, row: OrderRow): boolean {
  const condition = conditionOf(state, slot);
  const before = { phase: condition?.phase ?? "placed", priority: condition?.priority ?? 0 };
  const after = { phase: row.conditions?.phase ?? "placed", priority: row.conditions?.priority ?? 0 };
  const isFixed = after.phase === "dormant" || after.phase === "tracking";
  return (
    before.phase === after.phase &&
    before.priority === after.priority &&
    (isFixed || state.orders.ticks[slot] === ticksOf(state, slot, row))
  );
}

/** The price by which it is sorted. */
function ticksOf({ orders }: EngineState, slot: number, { ticks, conditions }: OrderRow): number {
  if (conditions?.phase === "waiting") return conditions.stopTicks;
  return conditions?.phase === "reached" ? levelOf(conditions, orders.side[slot] as number) : ticks;
}

/** Everything but its place. */
export function writeCondition(state: EngineState, slot: number, row: OrderRow): void {
  const { conditions, type, timeInForce, quoteAmount, ticks: limitTicks } = row;
  if (conditions === undefined) return;
  const condition =
    conditionOf(state, slot) ??
    addCondition(state, {
      ...{ slot, type, timeInForce, quoteAmount, limitTicks, conditions },
      selfTrade: conditions.selfTrade,
      phase: conditions.phase,
    });
  Object.assign(condition, { ...stateOf(conditions), limitTicks });
  if (condition.expiry.place === -1) setTimer(state.timers, condition.expiry, conditions.expiresAt);
  if (conditions.listId === 0) condition.list = undefined;
}

function stateOf(row: ConditionRow): Partial<Condition> {
  const { phase, stopTicks, extremeTicks, triggeredAt, priority, reserved, listId, role } = row;
  const { buyOrderId, sellOrderId, originalLots, preventedLots } = row;
  return {
    ...{ phase, stopTicks, extremeTicks, triggeredAt, priority, reserved, listId, role },
    ...{ buyOrderId, sellOrderId, originalLots, preventedLots },
  };
}

/** Behind the others of its price. The orders of a batch enter by their priority. */
export function enterPlace(state: EngineState, slot: number, row: OrderRow): void {
  const condition = conditionOf(state, slot);
  const pair = pairOf(state, slot);
  state.orders.ticks[slot] = ticksOf(state, slot, row);
  if (condition === undefined || !isPending(condition)) {
    enterBook(state, slot);
    return;
  }
  if (condition.trailingBps > 0) pair.triggers.trailing++;
  if (condition.phase === "tracking") insertTracking(state, pair, condition);
  else if (condition.phase !== "dormant") enterTriggers(state, pair, condition);
}

/** The rows may have new best prices of orders that trail: once for all of them. */
export function refreshPrices(state: EngineState, rows: readonly OrderRow[]): void {
  const names = new Set(rows.filter(({ conditions }) => conditions?.phase === "tracking").map(({ pair }) => pair));
  for (const name of names) {
    const pair = state.pairs.byName.get(name);
    if (pair !== undefined) refreshTracked(state, pair);
  }
}

/** After its orders. */
export function absorbList(state: EngineState, row: ListRow): void {
  const conditions = row.orderIds.flatMap((id) => conditionWithId(state, id) ?? []);
  const members = conditions.filter(({ listId }) => listId === row.id);
  const known = members.find(({ list }) => list !== undefined)?.list ?? state.work.find(isList(row.id));
  const list = (known as List | undefined) ?? listFrom(state, row);
  Object.assign(list, {
    ...{ reserved: row.reserved, boughtLots: row.boughtLots, boughtValue: row.boughtValue },
    ...{ updatedAt: row.updatedAt, live: members.length },
  });
  for (const member of members) member.list = list;
  if (list.as === row.dueAs) return;
  if (list.as !== 0) state.work.splice(state.work.indexOf(list), 1);
  list.as = row.dueAs;
  if (list.as !== 0) insertWork(state, [list]);
}

const isList = (id: number) => (item: Wave | List) => "orderIds" in item && item.id === id;

function conditionWithId(state: EngineState, id: number): Condition | undefined {
  const slot = id === 0 ? NONE : findSlot(state.index, id);
  return slot === NONE ? undefined : conditionOf(state, slot);
}

function listFrom(state: EngineState, row: ListRow): List {
  const { id, kind, clientListId, orderIds, targetProfitPpm, stopLossPpm, createdAt, updatedAt } = row;
  const user = userNamed(state.users, row.user);
  const pair = state.pairs.byName.get(row.pair) as Pair;
  return {
    ...{ id, user, pair, kind, clientListId, orderIds, targetProfitPpm, stopLossPpm, createdAt, updatedAt },
    ...{ reserved: 0n, as: 0, boughtLots: 0, boughtValue: 0n, live: 0, isTouched: false },
  };
}

export function absorbWaves(state: EngineState, pair: Pair, rows: readonly WaveRow[]): void {
  if (pair.waves.length === 0 && rows.length === 0) return;
  const gone = new Set<Wave | List>(pair.waves.splice(0));
  const waves = rows.map((row): Wave => ({ ...row, pair }));
  pair.waves.push(...waves);
  const rest = state.work.filter((item) => !gone.has(item));
  state.work.splice(0, state.work.length, ...rest);
  insertWork(state, waves);
}

function insertWork({ work }: EngineState, items: readonly (Wave | List)[]): void {
  work.push(...items);
  work.sort((first, second) => first.as - second.as);
}
