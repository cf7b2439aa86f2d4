import type { User } from "../accounts.ts";
import { leaveBook, pairOf } from "../book/open-orders.ts";
import { NONE, wordOf } from "../book/order-slab.ts";
import { touchOrder } from "../change-log.ts";
import type { ListOrder, PlaceOrder } from "../command.ts";
import { PPM, TICKS_MAX } from "../limits.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import { addPending, awaitTriggerNow } from "./add-order.ts";
import { addCondition, type Condition, NO_CONDITIONS } from "./condition.ts";
import { cancelLegs, giveBack } from "./end-list.ts";
import { type List, legsOf, slotInList, touchList } from "./list.ts";
import { placeLimitLeg } from "./run-list.ts";
import { conditionAt, leaveTriggers } from "./triggers.ts";

/**
 * The sell orders that follow a buy with a target profit or a stop loss: a limit order above, a stop below, or one of
 * them. They exist from the placement of the buy on, with no lots. The amount that the buy receives stays frozen
 * for them, and after each command that filled it they grow to that, rounded down to the lot.
 */
export function beginExit(state: EngineState, { command, user, pair, slot, listId }: Begun): List {
  const { conditions = NO_CONDITIONS, type, timeInForce, quoteAmount, selfTrade, ticks } = command;
  const { targetProfitPpm, stopLossPpm } = conditions;
  const buyOrderId = state.orders.id[wordOf(slot)] as number;
  const targetId = targetProfitPpm === 0 ? 0 : state.nextOrderId++;
  const stopId = stopLossPpm === 0 ? 0 : state.nextOrderId++;
  const list: List = {
    ...{ id: listId, user, pair, kind: "exit", clientListId: "", orderIds: [buyOrderId, targetId, stopId] },
    ...{ reserved: 0n, as: 0, targetProfitPpm, stopLossPpm, boughtLots: 0, boughtValue: 0n },
    ...{ createdAt: state.at, updatedAt: state.at, live: [targetId, stopId].filter((id) => id > 0).length + 1 },
    isTouched: false,
  };
  const condition = addCondition(state, {
    ...{ slot, type, timeInForce, quoteAmount, selfTrade, limitTicks: ticks, phase: "placed", conditions },
  });
  Object.assign(condition, { list, listId, role: "working", sellOrderId: targetId || stopId });
  touchList(state, list);
  return list;
}

type Begun = {
  readonly command: PlaceOrder;
  readonly user: User;
  readonly pair: Pair;
  readonly slot: number;
  readonly listId: number;
};

/** After the buy has traded, so that all orders of a user are in the order of their ids. */
export function addExitOrders(state: EngineState, list: List, { selfTrade }: PlaceOrder): void {
  const [buyOrderId = 0, targetId = 0, stopId = 0] = list.orderIds;
  const common = { ticks: 0, lots: 0, quoteAmount: 0n, postOnly: false, selfTrade, clientOrderId: "" } as const;
  const target: ListOrder = { ...common, side: "sell", type: "limit", timeInForce: "GTC" };
  const stop: ListOrder = { ...common, side: "sell", type: "stop", timeInForce: "IOC" };
  const add = (id: number, order: ListOrder, role: "above" | "below") => {
    if (id === 0) return;
    const condition = addPending(state, { id, user: list.user, pair: list.pair, order });
    Object.assign(condition, { list, listId: list.id, role, buyOrderId });
  };
  add(targetId, target, "above");
  add(stopId, stop, "below");
  if (list.boughtLots === 0 && slotInList(state, list, 0) === NONE) cancelLegs(state, list);
}

/** Both sell orders get what the buy has received so far; what is less than a lot waits for more, or is released. */
export function growExit(state: EngineState, list: List): void {
  const { pair } = list;
  const [above, below] = legsOf(state, list);
  const leg = above === NONE ? below : above;
  if (leg === NONE) return;
  const account = state.orders.pays[leg] as number;
  const lots = Number(list.reserved / pair.lotSteps);
  const rest = list.reserved - BigInt(lots) * pair.lotSteps;
  if (slotInList(state, list, 0) === NONE) {
    const kept = list.reserved - rest;
    if (lots === 0) cancelLegs(state, list);
    giveBack(state, { list, account, reserved: rest });
    list.reserved = kept;
  }
  if (lots === 0 || state.orders.lots[wordOf(leg)] === lots) return;
  if (below !== NONE) growStop(state, conditionAt(state, below), { list, lots });
  if (above !== NONE) growTarget(state, conditionAt(state, above), { list, lots });
}

type Growth = { readonly list: List; readonly lots: number };

function growStop(state: EngineState, condition: Condition, { list, lots }: Growth): void {
  const { slot } = condition;
  if (condition.phase === "waiting") leaveTriggers(state, list.pair, condition);
  state.orders.lots[wordOf(slot)] = lots;
  state.orders.updatedAt[wordOf(slot)] = state.at;
  const { value, unit } = priceOf(list);
  // Rounded down: not before the loss is as large as stated.
  condition.stopTicks = Math.max(1, Number((value * BigInt(PPM - list.stopLossPpm)) / (unit * BigInt(PPM))));
  awaitTriggerNow(state, list.pair, condition);
}

function growTarget(state: EngineState, condition: Condition, { list, lots }: Growth): void {
  const { slot } = condition;
  if (condition.phase === "placed") leaveBook(state, slot);
  condition.phase = "dormant";
  state.orders.lots[wordOf(slot)] = lots;
  const { value, unit } = priceOf(list);
  const divisor = unit * BigInt(PPM);
  // Rounded up: not before the profit is as large as stated.
  const ticks = (value * BigInt(PPM + list.targetProfitPpm) + divisor - 1n) / divisor;
  condition.limitTicks = Number(ticks > BigInt(TICKS_MAX) ? BigInt(TICKS_MAX) : ticks);
  touchOrder(state, slot);
  placeLimitLeg(state, pairOf(state, slot), condition);
}

/** The average price paid is one by the other. */
function priceOf({ boughtValue, boughtLots, pair }: List): { readonly value: bigint; readonly unit: bigint } {
  return { value: boughtValue, unit: BigInt(boughtLots) * pair.unitSteps };
}
